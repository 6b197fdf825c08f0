#pragma once

#include "kernels/ranges/point_ranges.hpp"

/// The pairs of targets and samples up to a distance, in bins of it.
namespace skde::kernels {

/// Integers, so that sums are the same in any order.
struct DistanceBin {
  static constexpr int kBins = 16384;  ///< of equal widths, up to one radius
  static constexpr int kSteps = 256;   ///< in the width of a bin

  unsigned long long pairs = 0;
  unsigned long long steps = 0;  ///< sum of the pairs' steps from the begin of the bin
};

/// Targets of a block of threads.
inline constexpr std::int64_t kBinnedTargets = 448 * RangePolicy::kEach;

/// Places are multiples of 2^-32 radii. Adds the pairs of target blocks [first, first + blocks) to
/// the bins, i = j included. Needs 96 KiB of shared memory; throws Error(resources) on devices that
/// have less.
void bin_distances(const RangeSums& sums, std::int64_t first, std::int64_t blocks,
                   DistanceBin* bins, cudaStream_t stream);

}  // namespace skde::kernels
