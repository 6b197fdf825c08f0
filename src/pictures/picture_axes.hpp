#pragma once

#include <string>

#include "pictures/axis_ticks.hpp"
#include "pictures/picture_canvas.hpp"

namespace skde {

/// An axis of a picture: the range of its quantity, and ticks that suit its length.
struct PictureAxis {
  double lower = 0, upper = 1;
  AxisTicks ticks;
  std::string caption;
  bool flipped = false;      ///< runs the other way: leftwards or downwards
  bool logarithmic = false;  ///< equal ratios are equal lengths; above 0

  /// Returns the pixel of a value on an axis of so many pixels; 0 is the left or lower end.
  int pixel(double value, int pixels) const;
};

inline constexpr int kTickPixels = 6;
inline constexpr TextStyle kTickStyle{.size = 15};
inline constexpr TextStyle kCaptionStyle{.size = 16};

/// Returns an axis with ticks as dense as their labels fit beside each other (horizontal) or above
/// each other (vertical).
PictureAxis fit_horizontal_axis(const PictureCanvas& canvas, double lower, double upper,
                                int pixels);
PictureAxis fit_vertical_axis(double lower, double upper, int pixels);

/// Width of the widest label.
int label_width(const PictureCanvas& canvas, const PictureAxis& axis);

/// Draw tick marks outside the panel, without labels.
void draw_bottom_marks(PictureCanvas& canvas, const Rectangle& panel, const PictureAxis& axis);
void draw_left_marks(PictureCanvas& canvas, const Rectangle& panel, const PictureAxis& axis);
/// Draw marks, labels and the caption below, left or right of the panel.
void draw_bottom_axis(PictureCanvas& canvas, const Rectangle& panel, const PictureAxis& axis);
/// `caption_x` is the middle of the caption.
void draw_left_axis(PictureCanvas& canvas, const Rectangle& panel, const PictureAxis& axis,
                    int caption_x);
void draw_right_axis(PictureCanvas& canvas, const Rectangle& panel, const PictureAxis& axis,
                     int caption_x);

}  // namespace skde
