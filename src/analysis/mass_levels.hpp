#pragma once

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

}  // namespace skde
