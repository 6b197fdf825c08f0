#pragma once

#include <array>
#include <vector>

#include "core/space/projection.hpp"
#include "pictures/color_map.hpp"

namespace skde {

/// Returns the projection as width * height pixels from the top row, with colours from 0 to `peak`.
/// Cells of two pixels or more keep their edges and colours. With smaller cells each pixel shows
/// the value furthest from `middle` that it touches, so that no peak is lost. Columns run
/// rightwards and rows upwards, or the other way if they are flipped.
std::vector<Color> heat_image(const Projection& projection, int width, int height, double peak,
                              bool flipped_columns = false, bool flipped_rows = false,
                              ColorMap map = ColorMap::viridis, double middle = 0);

/// Returns the colours alone, from the top (peak) down to 0.
std::vector<Color> color_bar_image(int width, int height, ColorMap map = ColorMap::viridis);

/// A point of a plane, in cells from its lower corner: a cell's centre has halves.
using PlanePoint = std::array<double, 2>;
/// Returns the pieces of the line along which values between the cells' centres, linear along
/// edges, are `level` (marching squares). Where NaN is a corner there is no line.
std::vector<std::array<PlanePoint, 2>> contour_lines(const Projection& plane, double level);

}  // namespace skde
