#include "engines/group/group_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/report/progress.hpp"
#include "core/report/thread_room.hpp"
#include "core/space/slab_balance.hpp"
#include "engines/cpu/host_values.hpp"
#include "engines/group/member_threads.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

/// One progress for several members that work on the same stage, each with its own count. All are
/// cancelled if one of them has failed.
class GroupProgress {
 public:
  GroupProgress(Progress& shown, const FirstFailure& failure, std::size_t members);

  /// The progress of one member, for its thread. Valid as long as this object.
  Progress& of(std::size_t member) { return members_[member]; }

 private:
  class Member final : public Progress {
   public:
    explicit Member(GroupProgress& group) : group_(group) {}
    void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override;
    void update(std::uint64_t done) override;
    bool cancelled() const override;

   private:
    friend class GroupProgress;
    GroupProgress& group_;
    std::uint64_t total_ = 0;
    double share_ = 0;  ///< of its work that is done
  };

  Progress& shown_;
  const FirstFailure& failure_;
  std::mutex showing_;
  bool begun_ = false;
  std::vector<Member> members_;
};

/// Units in which a member's work is shown.
constexpr double kUnits = 1000;

GroupProgress::GroupProgress(Progress& shown, const FirstFailure& failure, std::size_t members)
    : shown_(shown), failure_(failure), members_(members, Member(*this)) {}

void GroupProgress::Member::begin(std::string_view stage, std::uint64_t total, std::string_view) {
  const std::lock_guard lock(group_.showing_);
  total_ = total;
  share_ = 0;
  if (group_.begun_) return;
  group_.begun_ = true;
  group_.shown_.begin(stage, static_cast<std::uint64_t>(kUnits) * group_.members_.size(), "parts");
}

void GroupProgress::Member::update(std::uint64_t done) {
  const std::lock_guard lock(group_.showing_);
  if (total_ > 0) share_ = static_cast<double>(done) / static_cast<double>(total_);
  double sum = 0;
  for (const Member& member : group_.members_) sum += member.share_;
  group_.shown_.update(static_cast<std::uint64_t>(kUnits * sum));
}

bool GroupProgress::Member::cancelled() const {
  return group_.failure_.any() || group_.shown_.cancelled();
}

/// Members work side by side, so a stage takes as long as its slowest member.
void keep_slowest(StageTimes& slowest, const StageTimes& stages) {
  for (const StageTime& stage : stages) {
    const auto same = std::ranges::find(slowest, stage.stage, &StageTime::stage);
    if (same == slowest.end())
      slowest.push_back(stage);
    else
      same->seconds = std::max(same->seconds, stage.seconds);
  }
}

}  // namespace

GroupRun::GroupRun(std::span<const GroupMember> members, const Problem& problem,
                   const GroupSharing& plain, const GroupSharing& shaped,
                   std::unique_ptr<ValueBuffer> reuse)
    : members_(members), problem_(problem), plain_(plain), shaped_(shaped) {
  if (auto* const own = dynamic_cast<GroupValues*>(reuse.get())) reuse_ = own->release();
}

/// A sample adds rows of cells to the slices within its reach. Where the work lies in few slices,
/// equal work needs slabs of unequal height.
GroupRun::Cuts GroupRun::cuts(const GroupSharing& sharing,
                              const std::vector<double>& heights) const {
  const std::int64_t step = sharing.cut_step;
  const bool roomy = std::ranges::all_of(members_, [&](const GroupMember& member) {
    return sharing.bytes < static_cast<double>(member.engine->free_memory());
  });
  const auto members = static_cast<int>(members_.size());
  const Grid& grid = problem_.grid();
  const Ellipsoid<double> e = problem_.kernel.ellipsoid(grid);
  const std::int64_t slices = grid.dims[2], units = (slices - 1) / step + 1;
  const auto high = static_cast<double>(step);
  std::vector<std::int64_t> samples(static_cast<std::size_t>(units));
  for (const double height : heights) {
    const double slice = (height - grid.lower.z) / grid.spacing.z;
    if (slice < -e.sz || slice > static_cast<double>(slices) + e.sz) continue;
    const auto unit = static_cast<std::int64_t>(std::floor(slice / high));
    ++samples[static_cast<std::size_t>(std::clamp<std::int64_t>(unit, 0, units - 1))];
  }
  // Some of the samples stand for all of them.
  const double each = heights.empty() ? 0 : problem_.samples / static_cast<double>(heights.size());
  const SliceWork work{samples, grid.dims[0] * grid.dims[1] * step, e.sz / high,
                       each * 2 * e.ry * high};
  Cuts cuts{balanced_cuts(work, members, roomy ? members : kMostShares), 1};
  cuts.largest_share = largest_share(work, cuts.at);
  for (std::int64_t& cut : cuts.at) cut = std::min(cut * step, slices);
  return cuts;
}

void GroupRun::begin_members(const GroupSharing& sharing, const std::vector<double>& heights) {
  constexpr double kSurely = 0.8;  // of the seconds predicted for slabs
  const std::int64_t slices = problem_.has_grid() ? problem_.grid().dims[2] : 1;
  Cuts cuts{std::vector<std::int64_t>(members_.size() + 1, slices), 1};  // the first member has all
  cuts.at.front() = 0;
  if (sharing.by_slabs()) cuts = this->cuts(sharing, heights);
  by_tiles_ = sharing.by_tiles() &&
              (!problem_.has_grid() ||
               sharing.tile_seconds < kSurely * sharing.slab_seconds(cuts.largest_share));
  slabs_.resize(members_.size());
  reuse_.resize(members_.size());
  by_member_threads(members_.size(), [&](std::size_t i) {
    Slab& slab = slabs_[i];
    RunOrders orders{std::move(reuse_[i].values)};
    if (by_tiles_) {
      slab.slices = {0, slices};
      orders.share =
          TileShare{static_cast<std::int32_t>(i), static_cast<std::int32_t>(members_.size())};
    } else {
      slab.slices = {cuts.at[i], cuts.at[i + 1] - cuts.at[i]};
      if (slab.slices.count == 0) return;
      if (slab.slices.count < slices) orders.slices = slab.slices;
    }
    slab.run = members_[i].engine->begin(problem_, std::move(orders));
  });
}

template <class Work>
StageTimes GroupRun::by_members(Progress& progress, const Work& work) {
  FirstFailure failure;
  GroupProgress shared(progress, failure, members_.size());
  std::vector<StageTimes> stages(members_.size());
  by_member_threads(members_.size(), failure, [&](std::size_t i) {
    if (slabs_[i].run) stages[i] = work(*slabs_[i].run, i, shared.of(i));
  });
  StageTimes slowest;
  for (const StageTimes& member : stages) keep_slowest(slowest, member);
  return slowest;
}

StageTimes GroupRun::add(const LoadedSamples& samples, Progress& progress) {
  const GroupSamples& own = GroupSamples::of_group(samples);
  if (slabs_.empty()) begin_members(own.shaped() ? shaped_ : plain_, own.heights());
  return by_members(progress, [&own](Run& run, std::size_t i, Progress& member) {
    return run.add(own.of(i), member);
  });
}

StageTimes GroupRun::finish(Progress& progress) {
  if (slabs_.empty()) begin_members(plain_, {});
  StageTimes stages = by_members(
      progress, [](Run& run, std::size_t, Progress& member) { return run.finish(member); });
  if (!by_tiles_) return stages;
  const StopWatch watch;
  add_up();
  stages.push_back({"add up", watch.seconds()});
  return stages;
}

/// Adds up the members' values. In each cell and at each point all but one are 0, so that no sum is
/// rounded.
void GroupRun::add_up() {
  std::vector<std::unique_ptr<HostValues>> all(slabs_.size());
  by_member_threads(slabs_.size(), [&](std::size_t i) {
    std::unique_ptr<ValueBuffer> own = slabs_[i].run->take_values();
    if (problem_.has_grid())
      all[i] = std::make_unique<HostValues>(own->take_volume());
    else
      all[i].reset(&dynamic_cast<HostValues&>(*own.release()));
  });
  for (std::size_t i = 1; i < all.size(); ++i) all.front()->volume().add(all[i]->volume());
  added_up_ = std::move(all.front());
}

/// Returns null if nothing was begun, as after a failure.
std::unique_ptr<ValueBuffer> GroupRun::take_values() {
  if (by_tiles_) return std::move(added_up_);
  std::vector<SlabValues> values;
  for (Slab& slab : slabs_)
    if (slab.run) values.push_back({slab.slices.first, slab.run->take_values()});
  if (values.empty()) return nullptr;
  return std::make_unique<GroupValues>(problem_.grid(), std::move(values));
}

std::string GroupRun::launch_policy() const {
  std::string text;
  for (std::size_t i = 0; i < slabs_.size(); ++i) {
    const SliceRange& slices = slabs_[i].slices;
    if (slices.count == 0) continue;
    text += text.empty() ? "" : ", ";
    text += by_tiles_ ? fmt::format("{} {} of {}", problem_.has_grid() ? "tiles" : "blocks", i + 1,
                                    slabs_.size())
                      : fmt::format("slices {} to {}", slices.first, slices.end() - 1);
    text += fmt::format(" on GPU {}", members_[i].device);
  }
  for (const Slab& slab : slabs_)
    if (slab.run) return text + "; " + slab.run->launch_policy();
  return text;
}

ValueTotals GroupValues::totals() {
  std::vector<ValueTotals> totals(slabs_.size());
  by_member_threads(slabs_.size(), [&](std::size_t i) { totals[i] = slabs_[i].values->totals(); });
  ValueTotals all{0, totals.front().maximum};
  for (const ValueTotals& slab : totals) {
    all.sum += slab.sum;
    all.maximum = std::max(all.maximum, slab.maximum);
  }
  return all;
}

void GroupValues::scale(double factor) {
  by_member_threads(slabs_.size(), [&](std::size_t i) { slabs_[i].values->scale(factor); });
}

Volume GroupValues::take_volume() {
  Volume whole(grid(), precision());
  put_slices(whole, 0);
  return whole;
}

void GroupValues::put_slices(Volume& whole, std::int64_t first) {
  by_member_threads(slabs_.size(), [&](std::size_t i) {
    slabs_[i].values->put_slices(whole, first + slabs_[i].first);
  });
}

std::vector<double> GroupValues::take_point_values() {
  static_cast<void>(std::get<TargetPoints>(target_));
  return {};
}

const GroupSamples& GroupSamples::of_group(const LoadedSamples& samples) {
  const auto* const own = dynamic_cast<const GroupSamples*>(&samples);
  if (!own) throw std::invalid_argument("the samples were not loaded by a group of devices");
  return *own;
}

void GroupSamples::look_at(const SamplesView& points) {
  constexpr std::size_t kMost = std::size_t{1} << 18;
  const std::size_t count = std::min(points.size(), kMost);
  heights_.resize(count);
  shaped_ = points.shaped();
  for (std::size_t k = 0; k < count; ++k) {
    const auto i = static_cast<std::size_t>(static_cast<double>(k) / static_cast<double>(count) *
                                            static_cast<double>(points.size()));
    heights_[k] = points.xyz[3 * i + 2];
  }
}

namespace {

constexpr double kStartSeconds = 2e-4;  // to start the threads
constexpr double kBalance = 1.1;        // slowest member relative to the mean

}  // namespace

double GroupSharing::slab_seconds(double largest_share) const {
  return kStartSeconds + kBalance * seconds * largest_share;
}

GroupSharing sharing_of(const Engine& engine, const Problem& problem, bool shaped,
                        std::size_t members) {
  constexpr double kWorthSeconds = 2e-3, kManyBytes = 4e9;
  constexpr std::int64_t kFinestShare = 4;  // steps per member
  // Most bytes of a grid that is added up, and bytes per second of downloads and sums on the host.
  constexpr double kMostAdded = 3e8, kAddedBytes = 1e10;
  if (members < 2) return {};
  const Offer offer =
      engine.offer(problem, {static_cast<std::int64_t>(problem.samples), false, shaped});
  if (!offer.serves()) return {};
  const auto count = static_cast<double>(members);
  const auto values = static_cast<double>(target_size(problem.target));
  const double bytes = values * static_cast<double>(value_bytes(problem.precision));
  GroupSharing sharing;
  sharing.seconds = offer.seconds.run;
  sharing.bytes = offer.device.bytes(0, problem.samples, values);
  const bool fine =
      problem.has_grid() &&
      problem.grid().dims[2] >= kFinestShare * static_cast<std::int64_t>(members) * offer.cut_step;
  if (fine && (offer.seconds.run > kWorthSeconds || bytes > kManyBytes))
    sharing.cut_step = offer.cut_step;
  const double by_tiles = sharing.slab_seconds(1 / count) + count * bytes / kAddedBytes;
  const bool is_small = !problem.has_grid() || bytes <= kMostAdded;
  if (offer.shares_tiles && is_small && by_tiles < offer.seconds.run)
    sharing.tile_seconds = by_tiles;
  return sharing;
}

}  // namespace skde
