#pragma once

#include <span>
#include <vector>

#include "core/volume.hpp"

namespace skde {

/// The highest-density region of a mass: the cells whose density is at least `level`.
struct MassLevel {
  double mass = 0;    ///< asked for, a share of the density's whole mass
  double level = 0;   ///< per unit of volume; of the last cell that belongs to the region
  double volume = 0;  ///< of the region, in cubed units of the coordinates
  double held = 0;    ///< the mass of its cells, which is `mass` but for a part of the last one
};

/// The highest-density regions of these masses (each above 0 and below 1), in the order given. The
/// mass that lies outside of the box counts as lower than any in it (Hyndman, The American
/// Statistician 50(2), 1996). `whole` is the density's mass over all space, 1 for a normalised one.
/// Throws Error(usage) for masses that are none, and Error(input) where a value is below 0 or not
/// finite, or where the box holds less than a mass.
std::vector<MassLevel> mass_levels(const Volume& volume, std::span<const double> masses,
                                   double whole = 1);

}  // namespace skde
