#include "pictures/plane_panel.hpp"

#include <algorithm>
#include <cmath>

#include "pictures/contour_lines.hpp"
#include "pictures/heat_image.hpp"

namespace skde {
namespace {

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
