#pragma once

#include "core/projection.hpp"
#include "core/volume.hpp"

namespace skde {

/// The values on the plane across an axis (0, 1, 2: x, y, z) at a place in world units, at the cell
/// centres along the two others: columns along the first of them, rows along the second. Between
/// two layers of centres they are interpolated linearly; within half a cell of the box's faces they
/// are those of the layer there. Error(usage) for a place outside of the box.
Projection plane_slice(const Volume& volume, int axis, double at);

/// The places of `count` planes that halve as many equal parts of the box along an axis.
std::vector<double> even_places(const Grid& grid, int axis, int count);

}  // namespace skde
