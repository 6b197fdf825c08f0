#include "engines/group/device_group.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engines/group/group_run.hpp"
#include "engines/group/member_threads.hpp"
#include "engines/served.hpp"

namespace skde {
namespace {

/// A run on the first member alone.
class FirstMemberRun final : public Run {
 public:
  FirstMemberRun(const GroupMember& member, const Problem& problem, RunOrders orders)
      : device_(member.device), run_(member.engine->begin(problem, std::move(orders))) {}

  StageTimes add(const LoadedSamples& samples, Progress& progress) override {
    return run_->add(GroupSamples::of_group(samples).of(0), progress);
  }
  StageTimes finish(Progress& progress) override { return run_->finish(progress); }
  std::unique_ptr<ValueBuffer> take_values() override { return run_->take_values(); }
  std::string launch_policy() const override {
    return fmt::format("GPU {} only; {}", device_, run_->launch_policy());
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
    if (!offer.serves()) return offer;
    GroupSharing sharing = sharing_of(first(), problem, cloud.shaped, members_.size());
    const auto members = static_cast<double>(members_.size());
    if (sharing.by_slabs()) {
      sharing.seconds = offer.seconds.run;
      offer.seconds.run = sharing.slab_seconds(1 / members);
      offer.seconds.download /= members;
      // Members that turn out to share tiles each hold the whole grid.
      const double step = static_cast<double>(offer.cut_step);
      if (!sharing.by_tiles())
        offer.device.value *= std::min(
            1.0, kMostShares / members + step / static_cast<double>(problem.grid().dims[2]));
    } else if (sharing.by_tiles()) {
      offer.seconds.run = sharing.tile_seconds;
      offer.seconds.download = 0;
    }
    if (sharing.by_tiles())
      offer.host.value += (members - 1) * static_cast<double>(value_bytes(problem.precision));
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

  std::unique_ptr<Run> begin(const Problem& problem, RunOrders orders) override {
    require_served(first(), problem, {}, orders);
    const GroupSharing plain = sharing_of(first(), problem, false, members_.size()),
                       shaped = sharing_of(first(), problem, true, members_.size());
    if (plain.is_shared() || shaped.is_shared())
      return std::make_unique<GroupRun>(members_, problem, plain, shaped, std::move(orders.reuse));
    return std::make_unique<FirstMemberRun>(members_.front(), problem, std::move(orders));
  }

 private:
  Engine& first() const { return *members_.front().engine; }

  std::vector<GroupMember> members_;
};

}  // namespace

std::unique_ptr<Engine> make_device_group(std::vector<GroupMember> members) {
  return std::make_unique<DeviceGroup>(std::move(members));
}

}  // namespace skde
