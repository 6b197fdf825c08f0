#pragma once

#include <array>
#include <vector>

#include "core/space/projection.hpp"

namespace skde {

/// A point of a plane, in cells from its lower corner: a cell's centre has halves.
using PlanePoint = std::array<double, 2>;
/// Returns the pieces of the line along which values between the cells' centres, linear along
/// edges, are `level` (marching squares). Where NaN is a corner there is no line.
std::vector<std::array<PlanePoint, 2>> contour_lines(const Projection& plane, double level);

}  // namespace skde
