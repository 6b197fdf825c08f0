#pragma once

#include <string>

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

}  // namespace skde
