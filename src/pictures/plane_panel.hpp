#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "core/space/projection.hpp"
#include "pictures/color_map.hpp"
#include "pictures/picture_axes.hpp"
#include "pictures/picture_canvas.hpp"
#include "pictures/picture_look.hpp"

namespace skde {

/// The colours of values from `low` to `high`.
struct ColorScale {
  double low = 0, high = 1;
  bool log = false;   ///< equal ratios are equal steps of colour
  double middle = 0;  ///< 0.5 if the map diverges from there, otherwise 0
  ColorMap map = ColorMap::viridis;

  /// Replaces values by their places in the map, from 0 to 1; NaN remains.
  Projection places_of(Projection plane) const;
};

/// Returns the scale of these planes. Colours of a density begin at 0, those of means at their
/// least value; logarithms begin at 1/10,000 of the greatest value, if there are smaller ones.
/// Differences diverge from 0 and ratios from 1, symmetrically. Throws Error(usage) if differences
/// should have logarithms.
ColorScale color_scale(const std::vector<const Projection*>& planes, std::string_view values,
                       const PictureLook& look);
/// Returns the axis of a colour bar.
PictureAxis fit_color_axis(const ColorScale& scale, int pixels);

/// Draws a plane of a volume in this box: its colours, a frame, lines and samples.
void draw_plane(PictureCanvas& canvas, const Rectangle& place, const Projection& plane,
                const ColorScale& scale, const Box& box, const std::array<bool, 3>& flipped,
                const PlaneMarks& marks);
/// Draws the bar of the colours with its axis, whose caption has its middle at `caption_x`, and
/// with lines that are named at its left.
void draw_color_bar(PictureCanvas& canvas, const Rectangle& place, const ColorScale& scale,
                    const PictureAxis& values, int caption_x, const std::vector<LevelLine>& levels);

}  // namespace skde
