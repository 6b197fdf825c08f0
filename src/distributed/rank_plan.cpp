#include "distributed/rank_plan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "core/slab_balance.hpp"
#include "estimate/plan/sums_plan.hpp"

namespace skde {
namespace {

std::vector<SliceRange> balanced_slabs(const PartialProblem& problem,
                                       const std::vector<std::int64_t>& counts, int ranks) {
  const Grid& grid = problem.grid;
  const Ellipsoid<double> kernel = problem.kernel.ellipsoid(grid);
  const std::vector<std::int64_t> cuts = balanced_cuts(
      {counts, grid.dims[0] * grid.dims[1], kernel.sz, std::numbers::pi * kernel.sx * kernel.sy},
      ranks);
  std::vector<SliceRange> slabs;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    slabs.push_back({cuts[i], cuts[i + 1] - cuts[i]});
  return slabs;
}

SumsShare share_of(const DensityRequest& request, const Neighbours& neighbours, SliceRange slab) {
  const std::vector<int> all = devices_for_sums(request, true);
  const auto rank = static_cast<std::size_t>(neighbours.rank),
             ranks = static_cast<std::size_t>(neighbours.size);
  SumsShare share{slab};
  for (std::size_t i = rank; i < all.size(); i += ranks) share.devices.push_back(all[i]);
  if (share.devices.empty() && !all.empty()) share.devices.push_back(all[rank % all.size()]);
  if (!all.empty()) share.sharers = static_cast<int>((ranks - 1) / all.size() + 1);
  return share;
}

}  // namespace

std::vector<std::int64_t> count_by_slice(const Grid& grid, const SamplesView& points) {
  std::vector<std::int64_t> counts(static_cast<std::size_t>(grid.dims[2]));
  const auto last = static_cast<double>(grid.dims[2] - 1);
  for (std::size_t i = 0; i < points.size(); ++i)
    ++counts[static_cast<std::size_t>(
        std::clamp(std::round(grid.to_cells(points.point(i)).z), 0.0, last))];
  return counts;
}

SumsPlan plan_rank(const RankGroup& ranks, const CloudFiles& files, SumsRequest request,
                   const PartialHead& head, const std::vector<std::int64_t>& counts,
                   bool in_pieces) {
  std::vector<SliceRange> slabs = balanced_slabs(head.problem, counts, ranks.size());
  if (in_pieces)
    for (SliceRange& slab : slabs)
      if (slab.count > 0 && slab.end() < head.problem.grid.dims[2]) ++slab.count;
  const SliceRange own = slabs[static_cast<std::size_t>(ranks.rank())];
  request.share = share_of(request.density, ranks.neighbours(), own);
  SumsPlan plan = plan_sums(files, request, head);
  plan.slabs = std::move(slabs);
  return plan;
}

}  // namespace skde
