#pragma once

#include <string>

#include "core/volume.hpp"

namespace skde {

/// A density brought onto another grid, and what became of its mass.
struct ResampledDensity {
  Volume volume;
  double mass_before = 0;  ///< of the cells as they were
  double mass_after = 0;   ///< of the cells as they are
  double mass_inside = 0;  ///< of the cells as they were, whose centres lie in the new box
};

/// The density at the centres of other cells, trilinear between the centres that there are: exact
/// where it is linear along each axis. Within half a cell of the faces of its box it goes on as it
/// is there, and outside of the box it is 0. Values are kept by that, and not the mass, which is
/// told; cells that are much larger than those before pass over what lies between their centres.
/// In double, rounded to the type of the source. `name` is the source's, for messages: Error(input)
/// where the boxes have no cell centre in common.
ResampledDensity resampled_onto(const Volume& source, const Grid& grid, const std::string& name);

}  // namespace skde
