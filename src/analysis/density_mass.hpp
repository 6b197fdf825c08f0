#pragma once

#include <cstdint>

#include "core/density_metadata.hpp"
#include "core/space/volume.hpp"

namespace skde {

/// The mass of a volume: how much is in the box, and what share of the whole that is. Small
/// negative values, which approximations leave, count as 0.
struct DensityMass {
  double cells = 0;            ///< sum of the values times the cell volume
  double inside = 0;           ///< mass in the box by the metadata, else that of the cells
  double whole = 1;            ///< mass over all space
  bool whole_known = false;    ///< false if the mass outside is unknown, and the box is all
  std::int64_t negatives = 0;  ///< number of values that count as 0
  double least = 0;            ///< the lowest value; 0 if none is negative
  double peak = 0;
  bool inside_told = false;  ///< `inside` is from the metadata

  /// Share of the whole mass that is outside the box.
  double outside() const { return inside < whole ? 1 - inside / whole : 0; }
  /// The whole mass in units of the cells' sum, which differs from the mass on coarse grids.
  double whole_of_cells() const { return whole * (cells / inside); }
};

/// Returns the mass of a volume according to its metadata: `density` integrates to 1, `count` to W,
/// and `box` to 1 over the box. If the metadata have no share of the mass in the box, the mass is
/// the sum of the cells. For volumes of other programs (without samples in their metadata) no other
/// mass is known. Throws Error(input) if the values are not a density, if one is not finite, if all
/// are 0, or if one lies below 0 by more than a hundredth of the peak and more than the error in
/// the metadata.
DensityMass density_mass(const Volume& volume, const DensityMetadata& metadata);

}  // namespace skde
