#include "engines/group/device_group.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <span>
#include <utility>

#include "engines/group/group_run.hpp"
#include "engines/group/group_samples.hpp"
#include "engines/group/member_threads.hpp"
#include "engines/served.hpp"

namespace skde {
namespace {

/// A run that is the first member's alone.
class FirstMemberRun final : public Run {
 public:
  FirstMemberRun(const GroupMember& member, const Problem& problem,
                 std::unique_ptr<ValueBuffer> reuse)
      : device_(member.device), run_(member.engine->begin(problem, std::move(reuse))) {}

  StageTimes add(const LoadedSamples& samples, Progress& progress) override {
    return run_->add(GroupSamples::of_group(samples).of(0), progress);
  }
  StageTimes finish(Progress& progress) override { return run_->finish(progress); }
  std::unique_ptr<ValueBuffer> take_values() override { return run_->take_values(); }
  std::string launch_policy() const override {
    return fmt::format("GPU {} alone; {}", device_, run_->launch_policy());
  }

 private:
  int device_;
  std::unique_ptr<Run> run_;
};

class DeviceGroup final : public Engine {
 public:
  explicit DeviceGroup(std::vector<GroupMember> members) : members_(std::move(members)) {}

  const EngineTraits& traits() const override { return first().traits(); }

  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    Offer offer = first().offer(problem, cloud);
    if (!offer.serves() || cloud.shaped || shared_step(problem) == 0) return offer;
    constexpr double kTogether = 2e-4, kBalance = 1.1;  // threads; the slowest against the mean
    const auto members = static_cast<double>(members_.size());
    const double slices = static_cast<double>(problem.grid().dims[2]);
    offer.seconds.run = kTogether + kBalance * offer.seconds.run / members;
    offer.seconds.download /= members;
    offer.device.value *=
        std::min(1.0, kMostShares / members + static_cast<double>(offer.cut_step) / slices);
    return offer;
  }

  std::optional<StageWork> stage_work(std::string_view stage, const Problem& problem,
                                      const RunWork& work) const override {
    return first().stage_work(stage, problem, work);
  }

  std::int64_t free_memory() const override {
    std::int64_t least = first().free_memory();
    for (const GroupMember& member : members_)
      least = std::min(least, member.engine->free_memory());
    return least;
  }

  std::unique_ptr<LoadedSamples> load(const SamplesView& points,
                                      std::unique_ptr<LoadedSamples> reuse) override {
    if (!dynamic_cast<GroupSamples*>(reuse.get())) reuse = std::make_unique<GroupSamples>();
    auto& samples = static_cast<GroupSamples&>(*reuse);
    samples.look_at(points);
    samples.members().resize(members_.size());
    by_member_threads(members_.size(), [&](std::size_t i) {
      std::unique_ptr<LoadedSamples>& member = samples.members()[i];
      member = members_[i].engine->load(points, std::move(member));
    });
    return reuse;
  }

  std::unique_ptr<Run> begin(const Problem& problem, std::unique_ptr<ValueBuffer> reuse) override {
    require_served(first(), problem, {});
    if (const std::int64_t step = shared_step(problem); step > 0)
      return std::make_unique<GroupRun>(members_, problem, step, std::move(reuse));
    return std::make_unique<FirstMemberRun>(members_.front(), problem, std::move(reuse));
  }

 private:
  Engine& first() const { return *members_.front().engine; }

  /// Slices at whose multiples the members' slabs begin; 0 where the first has all: where the work
  /// is not worth the threads, and the values are not many for one device, or the cuts are too
  /// coarse for slabs of about equal work.
  std::int64_t shared_step(const Problem& problem) const {
    constexpr double kWorthSeconds = 2e-3, kManyBytes = 4e9;
    constexpr std::int64_t kFinestShare = 4;  // steps a member
    if (members_.size() < 2) return 0;
    const Offer offer =
        first().offer(problem, {static_cast<std::int64_t>(problem.samples), false, false});
    if (!offer.serves() || offer.cut_step == 0) return 0;
    const auto members = static_cast<std::int64_t>(members_.size());
    const bool fine = problem.grid().dims[2] >= kFinestShare * members * offer.cut_step;
    const bool worth = offer.seconds.run > kWorthSeconds ||
                       static_cast<double>(problem.grid().bytes(problem.precision)) > kManyBytes;
    return fine && worth ? offer.cut_step : 0;
  }

  std::vector<GroupMember> members_;
};

}  // namespace

std::unique_ptr<Engine> make_device_group(std::vector<GroupMember> members) {
  return std::make_unique<DeviceGroup>(std::move(members));
}

}  // namespace skde
