#include "pictures/picture_axes.hpp"

#include <algorithm>
#include <cmath>

namespace skde {
namespace {

constexpr int kLabelGap = 4;       // between a tick mark and its label
constexpr int kCaptionDepth = 44;  // from a panel's lower edge to the middle of its caption
constexpr double kClearance = 18;  // between neighbouring labels
constexpr int kDensestTicks = 48;  // pixels between ticks

TextStyle anchored(TextStyle style, Anchor anchor) {
  style.anchor = anchor;
  return style;
}

TextStyle upward_caption() {
  TextStyle style = anchored(kCaptionStyle, Anchor::middle);
  style.upwards = true;
  return style;
}

/// Calls `draw` with the pixel and the label of each tick; pixels count from the top or the left.
template <class Draw>
void each_tick(const PictureAxis& axis, int begin, int pixels, bool vertical, const Draw& draw) {
  for (std::size_t i = 0; i < axis.ticks.positions.size(); ++i) {
    const int pixel = axis.pixel(axis.ticks.positions[i], pixels);
    draw(begin + (vertical ? pixels - pixel : pixel - 1), axis.ticks.labels[i]);
  }
}

}  // namespace

int PictureAxis::pixel(double value, int pixels) const {
  if (!(upper > lower)) return 0;
  // Halved first: the difference of the ends may overflow.
  const double share = logarithmic ? std::log(value / lower) / std::log(upper / lower)
                                   : (value / 2 - lower / 2) / (upper / 2 - lower / 2);
  const double along = flipped ? 1 - share : share;
  return static_cast<int>(std::lround(std::clamp(along, 0.0, 1.0) * pixels));
}

PictureAxis fit_horizontal_axis(const PictureCanvas& canvas, double lower, double upper,
                                int pixels) {
  PictureAxis axis{.lower = lower, .upper = upper, .ticks = {}, .caption = {}};
  for (int intervals = std::max(1, pixels / kDensestTicks); intervals > 0; --intervals) {
    axis.ticks = choose_ticks(lower, upper, intervals);
    const double tick_pixels = axis.ticks.step / (upper - lower) * pixels;
    if (axis.ticks.positions.size() < 2 || label_width(canvas, axis) + kClearance <= tick_pixels)
      break;
  }
  return axis;
}

PictureAxis fit_vertical_axis(double lower, double upper, int pixels) {
  return {.lower = lower,
          .upper = upper,
          .ticks = choose_ticks(lower, upper, std::max(1, pixels / kDensestTicks)),
          .caption = {}};
}

int label_width(const PictureCanvas& canvas, const PictureAxis& axis) {
  double width = 0;
  for (const std::string& label : axis.ticks.labels)
    width = std::max(width, canvas.text_width(label, kTickStyle));
  return static_cast<int>(std::ceil(width));
}

void draw_bottom_marks(PictureCanvas& canvas, const Rectangle& panel, const PictureAxis& axis) {
  each_tick(axis, panel.x, panel.width, false, [&](int x, const std::string&) {
    canvas.line(x, panel.bottom() + 1, x, panel.bottom() + kTickPixels);
  });
}

void draw_left_marks(PictureCanvas& canvas, const Rectangle& panel, const PictureAxis& axis) {
  each_tick(axis, panel.y, panel.height, true, [&](int y, const std::string&) {
    canvas.line(panel.x - 1 - kTickPixels, y, panel.x - 2, y);
  });
}

void draw_bottom_axis(PictureCanvas& canvas, const Rectangle& panel, const PictureAxis& axis) {
  draw_bottom_marks(canvas, panel, axis);
  const double label_y = panel.bottom() + kTickPixels + kLabelGap + 0.5 * kTickStyle.size;
  each_tick(axis, panel.x, panel.width, false, [&](int x, const std::string& label) {
    canvas.text(x + 0.5, label_y, label, anchored(kTickStyle, Anchor::middle));
  });
  canvas.text_within(panel.width, panel.x + 0.5 * panel.width, panel.bottom() + kCaptionDepth,
                     axis.caption, anchored(kCaptionStyle, Anchor::middle));
}

void draw_left_axis(PictureCanvas& canvas, const Rectangle& panel, const PictureAxis& axis,
                    int caption_x) {
  draw_left_marks(canvas, panel, axis);
  each_tick(axis, panel.y, panel.height, true, [&](int y, const std::string& label) {
    canvas.text(panel.x - 1 - kTickPixels - kLabelGap, y + 0.5, label,
                anchored(kTickStyle, Anchor::end));
  });
  canvas.text_within(panel.height, caption_x, panel.y + 0.5 * panel.height, axis.caption,
                     upward_caption());
}

void draw_right_axis(PictureCanvas& canvas, const Rectangle& panel, const PictureAxis& axis,
                     int caption_x) {
  each_tick(axis, panel.y, panel.height, true, [&](int y, const std::string& label) {
    canvas.line(panel.right() + 1, y, panel.right() + kTickPixels, y);
    canvas.text(panel.right() + 1 + kTickPixels + kLabelGap, y + 0.5, label, kTickStyle);
  });
  canvas.text_within(panel.height, caption_x, panel.y + 0.5 * panel.height, axis.caption,
                     upward_caption());
}

}  // namespace skde
