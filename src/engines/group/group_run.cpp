#include "engines/group/group_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/slab_balance.hpp"
#include "engines/group/group_progress.hpp"
#include "engines/group/member_threads.hpp"

namespace skde {
namespace {

/// Members work side by side, so a stage takes what the slowest of them takes.
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
                   std::int64_t cut_step, std::unique_ptr<ValueBuffer> reuse)
    : members_(members), problem_(problem), cut_step_(cut_step) {
  if (auto* const own = dynamic_cast<GroupValues*>(reuse.get())) reuse_ = own->release();
}

/// In units of the cut's step. A sample adds rows of cells to the slices within its reach.
std::vector<std::int64_t> GroupRun::cuts(const std::vector<double>& heights) const {
  const Grid& grid = problem_.grid();
  const Ellipsoid<double> e = problem_.kernel.ellipsoid(grid);
  const std::int64_t slices = grid.dims[2], units = (slices - 1) / cut_step_ + 1;
  const auto step = static_cast<double>(cut_step_);
  std::vector<std::int64_t> samples(static_cast<std::size_t>(units));
  for (const double height : heights) {
    const double slice = (height - grid.lower.z) / grid.spacing.z;
    if (slice < -e.sz || slice > static_cast<double>(slices) + e.sz) continue;
    const auto unit = static_cast<std::int64_t>(std::floor(slice / step));
    ++samples[static_cast<std::size_t>(std::clamp<std::int64_t>(unit, 0, units - 1))];
  }
  // What some of the samples show stands for all of them.
  const double each = heights.empty() ? 0 : problem_.samples / static_cast<double>(heights.size());
  std::vector<std::int64_t> cuts = balanced_cuts(
      {samples, grid.dims[0] * grid.dims[1] * cut_step_, e.sz / step, each * 2 * e.ry * step},
      static_cast<int>(members_.size()), kMostShares);
  for (std::int64_t& cut : cuts) cut = std::min(cut * cut_step_, slices);
  return cuts;
}

void GroupRun::begin_slabs(const std::vector<double>& heights) {
  const std::vector<std::int64_t> at = cuts(heights);
  slabs_.resize(members_.size());
  reuse_.resize(members_.size());
  by_member_threads(members_.size(), [&](std::size_t i) {
    Slab& slab = slabs_[i];
    slab.slices = {at[i], at[i + 1] - at[i]};
    std::unique_ptr<ValueBuffer> reuse = std::move(reuse_[i].values);
    if (slab.slices.count == 0) return;
    Problem problem = problem_;
    problem.slices = slab.slices;
    slab.run = members_[i].engine->begin(problem, std::move(reuse));
  });
}

template <class Work>
StageTimes GroupRun::by_slabs(Progress& progress, const Work& work) {
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
  if (slabs_.empty()) begin_slabs(own.heights());
  return by_slabs(progress, [&own](Run& run, std::size_t i, Progress& member) {
    return run.add(own.of(i), member);
  });
}

StageTimes GroupRun::finish(Progress& progress) {
  if (slabs_.empty()) begin_slabs({});
  return by_slabs(progress,
                  [](Run& run, std::size_t, Progress& member) { return run.finish(member); });
}

/// Null where nothing was begun, as after a failure.
std::unique_ptr<ValueBuffer> GroupRun::take_values() {
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
    text += fmt::format("{}slices {} to {} on GPU {}", text.empty() ? "" : ", ", slices.first,
                        slices.end() - 1, members_[i].device);
  }
  for (const Slab& slab : slabs_)
    if (slab.run) return text + "; " + slab.run->launch_policy();
  return text;
}

}  // namespace skde
