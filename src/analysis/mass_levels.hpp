#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/report/progress.hpp"
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

/// The highest-density region of a mass, the smallest that holds it: the cells whose density is
/// above `level`, and as many of those at the level as it takes.
struct MassLevel {
  double mass = 0;    ///< requested, as a share of the density's whole mass
  double level = 0;   ///< per unit of volume; the lowest value in the region
  double volume = 0;  ///< of the region, in cubed units of the coordinates
  double held = 0;    ///< mass of its cells: `mass` plus a part of the last cell
};

/// Returns the highest-density regions of these masses (each above 0 and below 1), in the order
/// given. Mass outside the box counts as lower than any in it (Hyndman, The American Statistician
/// 50(2), 1996). `whole` is the density's mass over all space, 1 for a normalised one. The result
/// is exact for the cells' values: they are counted by their bits, without a copy. Values below 0
/// count as 0. Throws Error(usage) for masses out of range, Error(input) if a value is not finite
/// or the box holds less than a mass, and Error(cancelled).
std::vector<MassLevel> mass_levels(const Volume& volume, std::span<const double> masses,
                                   double whole, Progress& progress);
inline std::vector<MassLevel> mass_levels(const Volume& volume, std::span<const double> masses,
                                          double whole = 1) {
  NoProgress silent;
  return mass_levels(volume, masses, whole, silent);
}

/// The share of a normal density's mass within so many deviations: 0.1987, 0.7385, 0.9707 for 1, 2
/// and 3 (chi distribution, three degrees of freedom).
double mass_within_deviations(double deviations);

/// For each density, the mass of the smallest region that holds it: that of all cells whose values
/// are at least as large.
class MassAbove {
 public:
  /// Sorts a copy of the values. `whole` is as for mass_levels(). Throws Error(input) if a value is
  /// not finite.
  MassAbove(const Volume& volume, double whole);
  /// Returns the share of the whole mass in cells of at least this density; 1 for a density of 0,
  /// as the region is then all space.
  double at(double density) const;

 private:
  static constexpr std::size_t kStride = 64;  // cells between sums that are kept

  std::vector<double> values_;  ///< above 0, the largest first
  std::vector<double> sums_;    ///< of the values before every kStride-th
  double cell_share_;           ///< the share of the mass of a cell with the value 1
};

/// Returns the volume of MassAbove::at() of each cell, in the precision of the density.
Volume mass_above(const Volume& volume, double whole);

}  // namespace skde
