#pragma once

#include <cstdint>

#include "analysis/density_comparison.hpp"
#include "core/space/volume.hpp"

namespace skde {

/// How to form the ratio of two densities, cell by cell.
struct RatioSpec {
  /// As a share of B's peak. Where B is lower, it counts as that much, so that ratios of two tiny
  /// values do not dominate all others.
  double floor = 1e-3;
  /// Takes ln of the ratio. Both densities then count as at least the floor.
  bool logarithm = false;
  bool normalize = false;  ///< divide each by its mass inside the box
};

/// Ratios of two densities on the same cells, slice by slice: a / max(b, f) or, as a logarithm,
/// ln(max(a, f) / max(b, f)), with f the floor times the largest b. They are computed in double and
/// rounded to the type of A.
class DensityRatio {
 public:
  /// Takes densities that it does not own, on the same cells as defined by have_same_cells().
  /// Throws Error(usage) if the floor is not between 0 and 1, or is 0 with a logarithm.
  DensityRatio(const Volume& a, const Volume& b, const RatioSpec& spec);

  /// Slices [z, z + slices).
  Volume slices(std::int64_t z, std::int64_t slices) const;
  double floor() const { return floor_; }  ///< f, per unit of volume
  /// Number of cells whose B is below the floor.
  std::int64_t floored_cells() const;

 private:
  const Volume& a_;
  const Volume& b_;
  RatioSpec spec_;
  double scale_a_ = 1, scale_b_ = 1, floor_ = 0;
};

}  // namespace skde
