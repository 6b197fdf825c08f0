#pragma once

#include <array>

#include "pictures/color_scale.hpp"
#include "pictures/picture_canvas.hpp"

namespace skde {

/// Draws a plane of a volume in this box: its colours, a frame, lines and samples.
void draw_plane(PictureCanvas& canvas, const Rectangle& place, const Projection& plane,
                const ColorScale& scale, const Box& box, const std::array<bool, 3>& flipped,
                const PlaneMarks& marks);
/// Draws the bar of the colours with its axis, whose caption has its middle at `caption_x`, and
/// with lines that are named at its left.
void draw_color_bar(PictureCanvas& canvas, const Rectangle& place, const ColorScale& scale,
                    const PictureAxis& values, int caption_x, const std::vector<LevelLine>& levels);

}  // namespace skde
