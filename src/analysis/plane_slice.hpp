#pragma once

#include "core/space/projection.hpp"
#include "core/space/volume.hpp"

namespace skde {

/// Returns the values on the plane across an axis (0, 1, 2: x, y, z) at a place in world units, at
/// the cell centres along the two other axes: columns along the first of them, rows along the
/// second. Values are interpolated linearly between two layers of centres; within half a cell of
/// the box's faces they are those of the outermost layer. Throws Error(usage) for a place outside
/// the box.
Projection plane_slice(const Volume& volume, int axis, double at);

/// Returns the places of `count` planes: the middles of as many equal parts of the box along an
/// axis.
std::vector<double> even_places(const Grid& grid, int axis, int count);

}  // namespace skde
