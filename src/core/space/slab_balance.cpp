#include "core/space/slab_balance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace skde {
namespace {

/// Cost of writing a cell, in additions to a cell.
constexpr double kCellCost = 0.5;

/// Returns the work of each slice. The cross-section of an ellipsoid shrinks with the squared
/// height.
std::vector<double> work_by_slice(const SliceWork& work) {
  const auto slices = static_cast<std::int64_t>(work.samples.size());
  std::vector<double> costs(work.samples.size(), kCellCost * static_cast<double>(work.slice_cells));
  const double reach = std::max(work.reach, 0.5);
  const auto most = static_cast<std::int64_t>(std::ceil(std::min(reach, 1e9)));
  for (std::int64_t z = 0; z < slices; ++z) {
    const auto count = static_cast<double>(work.samples[static_cast<std::size_t>(z)]);
    if (count == 0) continue;
    for (std::int64_t at = std::max<std::int64_t>(0, z - most);
         at <= std::min(slices - 1, z + most); ++at) {
      const double height = static_cast<double>(at - z) / reach;
      costs[static_cast<std::size_t>(at)] +=
          count * work.widest * std::max(0.0, 1 - height * height);
    }
  }
  return costs;
}

}  // namespace

std::vector<std::int64_t> balanced_cuts(const SliceWork& work, int slabs, double most_shares) {
  const std::vector<double> costs = work_by_slice(work);
  const auto slices = static_cast<std::int64_t>(costs.size());
  const auto most = static_cast<std::int64_t>(
      std::ceil(std::max(1.0, most_shares) * static_cast<double>(slices) / slabs));
  double left = std::accumulate(costs.begin(), costs.end(), 0.0);
  std::vector<std::int64_t> cuts{0};
  for (int more = slabs; more > 1; --more) {
    // The later slabs cannot hold more, so this one must reach at least to here.
    const std::int64_t least = slices - most * (more - 1);
    const double share = left / more;
    std::int64_t end = cuts.back();
    for (double cost = 0; end < slices && end - cuts.back() < most; ++end) {
      const double next = costs[static_cast<std::size_t>(end)];
      if (end >= least && cost + next / 2 > share) break;
      cost += next;
      left -= next;
    }
    cuts.push_back(end);
  }
  cuts.push_back(slices);
  return cuts;
}

double largest_share(const SliceWork& work, std::span<const std::int64_t> cuts) {
  const std::vector<double> costs = work_by_slice(work);
  const auto sum = [&](std::int64_t begin, std::int64_t end) {
    return std::accumulate(costs.begin() + begin, costs.begin() + end, 0.0);
  };
  double most = 0;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i)
    most = std::max(most, sum(cuts[i], cuts[i + 1]));
  const double all = sum(0, static_cast<std::int64_t>(costs.size()));
  return all > 0 ? most / all : 1;
}

}  // namespace skde
