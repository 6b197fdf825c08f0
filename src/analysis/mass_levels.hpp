#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/report/progress.hpp"
#include "core/space/volume.hpp"

namespace skde {

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
