#include "engines/group/group_run.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "core/space/slab_balance.hpp"
#include "engines/cpu/host_values.hpp"
#include "engines/group/group_progress.hpp"
#include "engines/group/member_threads.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

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

/// Cuts at multiples of `step`. A sample adds rows of cells to the slices within its reach.
GroupRun::Cuts GroupRun::cuts(std::int64_t step, const std::vector<double>& heights) const {
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
  Cuts cuts{balanced_cuts(work, static_cast<int>(members_.size()), kMostShares), 1};
  cuts.largest_share = largest_share(work, cuts.at);
  for (std::int64_t& cut : cuts.at) cut = std::min(cut * step, slices);
  return cuts;
}

void GroupRun::begin_members(const GroupSharing& sharing, const std::vector<double>& heights) {
  constexpr double kSurely = 0.8;  // of the seconds predicted for slabs
  const std::int64_t slices = problem_.grid().dims[2];
  Cuts cuts{std::vector<std::int64_t>(members_.size() + 1, slices), 1};  // the first member has all
  cuts.at.front() = 0;
  if (sharing.by_slabs()) cuts = this->cuts(sharing.cut_step, heights);
  by_tiles_ = sharing.by_tiles() &&
              sharing.tile_seconds < kSurely * sharing.slab_seconds(cuts.largest_share);
  slabs_.resize(members_.size());
  reuse_.resize(members_.size());
  by_member_threads(members_.size(), [&](std::size_t i) {
    Slab& slab = slabs_[i];
    std::unique_ptr<ValueBuffer> reuse = std::move(reuse_[i].values);
    Problem problem = problem_;
    if (by_tiles_) {
      slab.slices = {0, slices};
      problem.share =
          TileShare{static_cast<std::int32_t>(i), static_cast<std::int32_t>(members_.size())};
    } else {
      slab.slices = {cuts.at[i], cuts.at[i + 1] - cuts.at[i]};
      if (slab.slices.count == 0) return;
      if (slab.slices.count < slices) problem.slices = slab.slices;
    }
    slab.run = members_[i].engine->begin(problem, std::move(reuse));
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

/// Adds up the members' grids. In each cell all but one are 0, so that no sum is rounded.
void GroupRun::add_up() {
  std::vector<std::optional<Volume>> volumes(slabs_.size());
  by_member_threads(slabs_.size(), [&](std::size_t i) {
    volumes[i] = slabs_[i].run->take_values()->take_volume();
  });
  for (std::size_t i = 1; i < volumes.size(); ++i) volumes.front()->add(*volumes[i]);
  added_up_ = std::make_unique<HostValues>(std::move(*volumes.front()));
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
    text += by_tiles_ ? fmt::format("tiles {} of {}", i + 1, slabs_.size())
                      : fmt::format("slices {} to {}", slices.first, slices.end() - 1);
    text += fmt::format(" on GPU {}", members_[i].device);
  }
  for (const Slab& slab : slabs_)
    if (slab.run) return text + "; " + slab.run->launch_policy();
  return text;
}

}  // namespace skde
