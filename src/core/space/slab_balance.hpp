#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace skde {

/// What is known of a run before its slices are divided among workers.
struct SliceWork {
  /// Number of samples nearest to each slice; samples beyond the grid count for the outermost
  /// slices.
  std::span<const std::int64_t> samples;
  std::int64_t slice_cells = 0;
  double reach = 0;   ///< of a kernel along z, in slices
  double widest = 0;  ///< cells of a kernel in the slice of its centre
};

/// Cuts the slices into `slabs` consecutive slabs of about equal work, counted in cells written and
/// cells of kernels. Slab i is [cuts[i], cuts[i + 1]). It holds at most `most_shares` equal shares
/// of the slices, so that they fit its owner's memory. It may be empty if few slices hold the work.
std::vector<std::int64_t> balanced_cuts(const SliceWork& work, int slabs, double most_shares = 2);

/// Returns the work of the busiest slab as a share of all work; 1 if there is no work.
double largest_share(const SliceWork& work, std::span<const std::int64_t> cuts);

}  // namespace skde
