#pragma once

#include <cstdint>

#include "analysis/density_comparison.hpp"
#include "core/volume.hpp"

namespace skde {

/// What the ratio of two densities is, cell by cell.
struct RatioSpec {
  /// As a share of B's peak: below it B counts as that much, so that the ratio of next to nothing
  /// over next to nothing does not outshine all others.
  double floor = 1e-3;
  /// ln of the ratio instead, of which both densities count as no less than the floor.
  bool logarithm = false;
  bool normalize = false;  ///< each over its mass inside the box
};

/// Ratios of two densities on the same cells, slice by slice, in double before they are rounded to
/// the type of A: a / max(b, f), or ln(max(a, f) / max(b, f)), with f the floor times the largest
/// b.
class DensityRatio {
 public:
  /// Both belong to someone else, and are densities on the same cells as compare_densities() has
  /// it. Error(usage) where the floor is not between 0 and 1, or 0 under a logarithm.
  DensityRatio(const Volume& a, const Volume& b, const RatioSpec& spec);

  /// Slices [z, z + slices).
  Volume slices(std::int64_t z, std::int64_t slices) const;
  double floor() const { return floor_; }  ///< f, per unit of volume
  /// Cells whose B is below the floor.
  std::int64_t floored_cells() const;

 private:
  const Volume& a_;
  const Volume& b_;
  RatioSpec spec_;
  double scale_a_ = 1, scale_b_ = 1, floor_ = 0;
};

}  // namespace skde
