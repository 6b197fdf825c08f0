#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skde {

/// What is known of a run before its slices are divided among workers.
struct SliceWork {
  /// Samples by the slice that they are nearest to; those beyond the grid in the outermost ones.
  std::span<const std::int64_t> samples;
  std::int64_t slice_cells = 0;
  double reach = 0;   ///< of a kernel along z, in slices
  double widest = 0;  ///< cells of a kernel in the slice of its centre
};

/// Cuts the slices into so many slabs, one behind the other, of about equal work: cells that are
/// written, and cells of kernels. Slab i is [cuts[i], cuts[i + 1]): at most so many equal shares of
/// the slices, for which its owner has memory, and empty where few slices hold the work.
std::vector<std::int64_t> balanced_cuts(const SliceWork& work, int slabs, double most_shares = 2);

/// Of all work, what the slab with the most of it has; all where there is none.
double largest_share(const SliceWork& work, std::span<const std::int64_t> cuts);

}  // namespace skde
