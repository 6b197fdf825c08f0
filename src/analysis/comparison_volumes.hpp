#pragma once

#include <cstdint>
#include <string>

#include "analysis/density_comparison.hpp"
#include "core/space/volume.hpp"

namespace skde {

/// A density resampled onto another grid, and its masses before and after.
struct ResampledDensity {
  Volume volume;
  double mass_before = 0;  ///< of the original cells
  double mass_after = 0;   ///< of the new cells
  double mass_inside = 0;  ///< of the original cells with centres in the new box
};

/// Returns the density at the centres of other cells, by trilinear interpolation between the
/// original centres: exact if the density is linear along each axis. Within half a cell of the
/// faces of its box it is extended as a constant, and outside the box it is 0. This preserves
/// values and not the mass, which is reported; cells much larger than the original ones skip what
/// lies between their centres. Computed in double, rounded to the type of the source. `name` is the
/// source's, for messages. Throws Error(input) if the boxes have no cell centre in common.
ResampledDensity resampled_onto(const Volume& source, const Grid& grid, const std::string& name);

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
