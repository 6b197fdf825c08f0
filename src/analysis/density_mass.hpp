#pragma once

#include <cstdint>

#include "core/density_metadata.hpp"
#include "core/volume.hpp"

namespace skde {

/// The mass of a volume's values: how much is in the box, and how much of the whole that is.
/// Approximations leave small values below 0, which count as 0.
struct DensityMass {
  double cells = 0;            ///< sum of the values times the cell volume
  double inside = 0;           ///< in the box, as the metadata tell; else that of the cells
  double whole = 1;            ///< over all space
  bool whole_known = false;    ///< false: nothing tells of what is outside, and the box is all
  std::int64_t negatives = 0;  ///< values that count as 0
  double least = 0;            ///< the lowest of them; 0 where there are none
  double peak = 0;
  bool inside_told = false;  ///< by the metadata

  /// Share of the whole mass that is outside of the box.
  double outside() const { return inside < whole ? 1 - inside / whole : 0; }
  /// The whole in the measure of the cells' sum, which differs from the mass on coarse grids.
  double whole_of_cells() const { return whole * (cells / inside); }
};

/// The mass of a volume as its metadata tell: `density` integrates to 1, `count` to W and `box` to
/// 1 over the box. Where the metadata have no share of the mass in the box, it is the sum of the
/// cells. Volumes of other programs (without samples in their metadata) know of no mass but that.
/// Throws Error(input) where a value is not finite, where one lies further below 0 than a hundredth
/// of the peak or what the metadata state as the error, and where all are 0.
DensityMass density_mass(const Volume& volume, const DensityMetadata& metadata);

}  // namespace skde
