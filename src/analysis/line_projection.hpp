#pragma once

#include "core/projection.hpp"
#include "core/volume.hpp"

namespace skde {

/// The integrals of a volume along an axis (0, 1, 2: x, y, z) from face to face of the box: values
/// per unit of area, at the cell centres along the two other axes, columns along the first of them.
/// Each is the sum of its cells times their edge, in double; where every cell is the mean of its
/// density, so are they.
Projection line_integrals(const Volume& volume, int axis);

/// The greatest values along an axis, likewise.
Projection line_maxima(const Volume& volume, int axis);

}  // namespace skde
