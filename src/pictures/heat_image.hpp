#pragma once

#include <vector>

#include "core/projection.hpp"
#include "pictures/color_map.hpp"

namespace skde {

/// The projection in width * height pixels from the top row, colours from 0 to `peak`. Cells of two
/// pixels or more keep their edges and colours; of smaller ones each pixel shows the greatest that
/// it touches, so that no peak is lost.
/// Columns and rows grow rightwards and upwards, or the other way where they are flipped.
std::vector<Color> heat_image(const Projection& projection, int width, int height, double peak,
                              bool flipped_columns = false, bool flipped_rows = false);

/// The colours alone, from the top (peak) down to 0.
std::vector<Color> color_bar_image(int width, int height);

}  // namespace skde
