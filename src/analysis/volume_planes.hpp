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

/// Returns the integrals of a volume along an axis (0, 1, 2: x, y, z) from face to face of the box:
/// values per unit of area, at the cell centres along the two other axes, columns along the first
/// of them. Each is the sum of its cells times their edge, in double. If every cell holds the mean
/// of its density, the integrals are such means too.
Projection line_integrals(const Volume& volume, int axis);

/// Returns the maxima along an axis, arranged in the same way.
Projection line_maxima(const Volume& volume, int axis);

}  // namespace skde
