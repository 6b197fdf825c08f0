#include "pictures/plane_panel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/density_metadata.hpp"
#include "core/report/error.hpp"
#include "pictures/heat_image.hpp"

namespace skde {
namespace {

bool is_diverging(ColorMap map) {
  const ColorMap plain = is_inverted(map) ? inverted(map) : map;
  return plain == ColorMap::blue_red || plain == ColorMap::green_purple;
}

/// Values of this name (see DensityMetadata) lie on both sides of 0.
bool are_differences(std::string_view values) {
  return values == "log_ratio" || values == "z" || values == kSignedDensity;
}

constexpr Color kLine{255, 255, 255}, kEdge{0, 0, 0}, kSample{230, 60, 20};
constexpr TextStyle kLineStyle{.size = 12, .anchor = Anchor::middle, .color = kLine};

/// Draws the line with dark edges, so that it shows on every colour, and its label at one end.
void draw_line(PictureCanvas& canvas, const Rectangle& place, const std::string& label, bool at_top,
               const std::vector<std::array<PicturePoint, 2>>& pieces) {
  constexpr double kHalfLabel = 8;
  if (pieces.empty()) return;
  canvas.strokes(pieces, 3, kEdge, 0.45);
  canvas.strokes(pieces, 1.3, kLine);
  const PicturePoint end = std::ranges::min_element(pieces, {}, [at_top](const auto& piece) {
                             return at_top ? piece[0].y : -piece[0].y;
                           })->front();
  const double half = canvas.text_width(label, kLineStyle) / 2 + 3;
  if (place.width < 3 * half) return;
  const double x = std::clamp(end.x, place.x + half, place.right() - half);
  const double y = std::clamp(end.y, place.y + kHalfLabel, place.bottom() - kHalfLabel);
  canvas.polygon({{x - half, y - kHalfLabel},
                  {x + half, y - kHalfLabel},
                  {x + half, y + kHalfLabel},
                  {x - half, y + kHalfLabel}},
                 kEdge, 0.6);
  canvas.text(x, y, label, kLineStyle);
}

}  // namespace

Projection ColorScale::places_of(Projection plane) const {
  const auto step = [this](double value) { return log ? std::log(std::max(value, 0.0)) : value; };
  const double first = step(low), range = step(high) - first;
  for (double& value : plane.values)
    if (!std::isnan(value))
      value = range > 0 ? std::clamp((step(value) - first) / range, 0.0, 1.0) : middle;
  return plane;
}

ColorScale color_scale(const std::vector<const Projection*>& planes, std::string_view values,
                       const PictureLook& look) {
  constexpr double kLeastShare = 1e-4;
  const double endless = std::numeric_limits<double>::infinity();
  double low = endless, high = -endless, least = endless;  // `least` above 0
  for (const Projection* const plane : planes)
    for (const double value : plane->values) {
      if (!std::isfinite(value)) continue;
      low = std::min(low, value);
      high = std::max(high, value);
      if (value > 0) least = std::min(least, value);
    }
  const bool is_ratio = values == "ratio", has_two_sides = low < 0 && high > 0;
  if (values.empty() || low > high) low = 0;
  ColorScale scale{low, std::max(low, high)};
  scale.log = look.log || is_ratio;
  const bool diverges =
      are_differences(values) || is_ratio || (look.map && is_diverging(*look.map) && has_two_sides);
  if (scale.log && (low < 0 || (diverges && !is_ratio)))
    throw Error(ErrorKind::usage, "values on both sides of 0 have no logarithms",
                {"log", "leave out `log`"});
  scale.map = look.map.value_or(diverges ? ColorMap::blue_red : ColorMap::viridis);
  if (diverges) scale.middle = 0.5;
  if (is_ratio)
    scale.high = std::max(high, 1 / std::clamp(least, kLeastShare, 1.0));
  else if (diverges)
    scale.high = std::max(std::abs(low), std::abs(high));
  if (diverges) scale.low = is_ratio ? 1 / scale.high : -scale.high;
  if (!diverges && scale.log && scale.high > 0) scale.low = std::max(least, kLeastShare * high);
  return scale;
}

PictureAxis fit_color_axis(const ColorScale& scale, int pixels) {
  PictureAxis axis = fit_vertical_axis(scale.low, scale.high, pixels);
  axis.logarithmic = scale.log && scale.low > 0;
  constexpr int kDensestLabels = 48;  // pixels between them
  if (axis.logarithmic)
    axis.ticks = choose_log_ticks(scale.low, scale.high, std::max(2, pixels / kDensestLabels));
  return axis;
}

void draw_plane(PictureCanvas& canvas, const Rectangle& place, const Projection& plane,
                const ColorScale& scale, const Box& box, const std::array<bool, 3>& flipped,
                const PlaneMarks& marks) {
  const int across = plane.columns_axis, up = plane.rows_axis;
  const bool leftwards = flipped[static_cast<std::size_t>(across)],
             downwards = flipped[static_cast<std::size_t>(up)];
  canvas.image(place, heat_image(scale.places_of(plane), place.width, place.height, 1, leftwards,
                                 downwards, scale.map, scale.middle));
  const auto at = [&](double right, double high) {  // shares of the sides
    return PicturePoint{place.x + place.width * (leftwards ? 1 - right : right),
                        place.y + place.height * (downwards ? high : 1 - high)};
  };
  canvas.clip(place);
  const Vec3 extent = box.extent();
  for (std::size_t i = 0; i + 2 < marks.samples.size(); i += 3) {
    const Vec3 share{(marks.samples[i] - box.lower.x) / extent.x,
                     (marks.samples[i + 1] - box.lower.y) / extent.y,
                     (marks.samples[i + 2] - box.lower.z) / extent.z};
    canvas.disc(at(share[across], share[up]), 2, kSample, 0.5);
  }
  bool at_top = true;  // in turn, so that labels lie apart
  for (const LevelLine& line : marks.lines) {
    std::vector<std::array<PicturePoint, 2>> pieces;
    const auto width = static_cast<double>(plane.width), height = static_cast<double>(plane.height);
    for (const auto& [from, to] : contour_lines(plane, line.level))
      pieces.push_back({at(from[0] / width, from[1] / height), at(to[0] / width, to[1] / height)});
    draw_line(canvas, place, line.label, at_top, pieces);
    at_top = !at_top;
  }
  canvas.show_all();
  canvas.frame(place);
}

void draw_color_bar(PictureCanvas& canvas, const Rectangle& place, const ColorScale& scale,
                    const PictureAxis& values, int caption_x,
                    const std::vector<LevelLine>& levels) {
  canvas.image(place, color_bar_image(place.width, place.height, scale.map));
  canvas.frame(place);
  draw_right_axis(canvas, place, values, caption_x);
  constexpr double kApart = 12;  // of two names
  double last = -kApart;
  for (const LevelLine& level : levels) {
    const double y = place.bottom() - values.pixel(level.level, place.height);
    canvas.strokes({{{{double(place.x), y}, {double(place.right()), y}}}}, 3, kEdge, 0.45);
    canvas.strokes({{{{double(place.x), y}, {double(place.right()), y}}}}, 1.3, kLine);
    if (std::abs(y - last) >= kApart)
      canvas.text(place.x - 5, last = y, level.label, {.size = 12, .anchor = Anchor::end});
  }
}

}  // namespace skde
