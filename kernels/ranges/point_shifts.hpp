#pragma once

#include "kernels/ranges/point_ranges.hpp"

/// Mean shifts of points: the sums of Gaussians that are not cut, and of these times source minus
/// target, over the sources within reach of groups of nearby targets.
namespace skde::kernels {

/// Input and output of a launch. The lattice is that of a ball of `reach` deviations.
struct ShiftSums {
  RangeSums ranges;  ///< partial: [shares][4][target_count]
  double reach;      ///< in deviations of the kernel
  float* beyond;     ///< [target_count]: how many sources may be left out, up to kBeyond of it
  std::int64_t sources;
  /// Radii up to which sources that are left out are counted near each group. Those beyond count as
  /// if all of them were at that distance.
  static constexpr double kBeyond = 1.3;
};

/// Sums target blocks [first, first + blocks), each over its shares of the rows of cells.
void sum_shifts(const ShiftSums& sums, std::int64_t first, std::int64_t blocks,
                cudaStream_t stream);

/// Whether the sums of a target give its shift.
enum class ShiftState : unsigned char {
  found,    ///< the shift is within the error
  farther,  ///< sources beyond the reach may count
  unsure    ///< floats hold too few digits of the sums
};

/// Writes the shifts, 3 doubles in world units, and their states, at the indices of the targets.
/// `error` is in deviations.
void find_shifts(const ShiftSums& sums, double error, const std::uint32_t* indices, double* shifts,
                 ShiftState* states, cudaStream_t stream);

}  // namespace skde::kernels
