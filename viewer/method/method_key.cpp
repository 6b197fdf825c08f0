#include "viewer/method/method_key.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include "viewer/method/cell_colors.hpp"

namespace skde::view {
namespace {

// Pixels at scale 1. A letter is at most as wide as this on average.
constexpr double kKeyLine = 18, kKeyMargin = 5, kKeyLetter = 8, kBarWidth = 60, kLineWidth = 24;
constexpr double kKeyGap = 16, kBarHeight = 9, kKeyDash = 4;
constexpr double kKeyShare = 0.08;  // most of the view's height
constexpr std::string_view kLeastValue = "0", kValues = "0.00001  kernel's value";
constexpr std::string_view kChosen = "chosen slice, from step 3 on cropped";
constexpr std::string_view kDashed = "the slice goes on";

/// Returns the widths of the entries, at scale 1.
std::array<double, 3> entry_widths() {
  const auto letters = [](std::string_view text) {
    return kKeyLetter * static_cast<double>(text.size());
  };
  return {letters(kLeastValue) + kBarWidth + letters(kValues) + 2 * kKeyMargin,
          kLineWidth + kKeyMargin + letters(kChosen), kLineWidth + kKeyMargin + letters(kDashed)};
}

/// Returns the places of the first entries, those that have room, at scale 1: the left end and the
/// line, from 0.
std::vector<glm::dvec2> entry_places(double width_of_key, double lines) {
  std::vector<glm::dvec2> places;
  glm::dvec2 at(kKeyMargin, 0);
  for (const double width : entry_widths()) {
    if (at.x > kKeyMargin && at.x + width > width_of_key) at = {kKeyMargin, at.y + 1};
    if (at.y >= lines || at.x + width > width_of_key) break;
    places.push_back(at);
    at.x += width + kKeyGap;
  }
  return places;
}

class KeyDrawing {
 public:
  KeyDrawing(RegionPen& pen, const SampleSlices& slices, const MethodLook& look)
      : pen_(pen), s_(slices), look_(look) {}

  void draw_values(glm::dvec2 at) {
    constexpr int kSteps = 30;
    const double left = at.x + kKeyLetter + kKeyMargin;
    write(kLeastValue, at.x, at.y);
    const double low = at.y - 0.5 * kBarHeight, high = at.y + 0.5 * kBarHeight;
    for (int k = 0; k < kSteps; ++k) {
      const glm::vec3 color = value_color(look_, (k + 0.5) / kSteps);
      pen_.rectangle(scaled({left + kBarWidth * k / kSteps, low}),
                     scaled({left + kBarWidth * (k + 1) / kSteps, high}), glm::vec4(color, 1));
    }
    const double greatest = s_.function->constant * s_.function->profile(0);
    write(fmt::format("{:.3g}  kernel's value", greatest), left + kBarWidth + kKeyMargin, at.y);
  }

  void draw_line(glm::dvec2 at, glm::vec3 color, bool dashed, std::string_view text) {
    const double step = dashed ? 2 * kKeyDash : kLineWidth, length = dashed ? kKeyDash : kLineWidth;
    for (double x = 0; x < kLineWidth; x += step)
      pen_.line(scaled({at.x + x, at.y}), scaled({at.x + x + length, at.y}), dashed ? 1.2F : 2,
                glm::vec4(color, 1));
    write(text, at.x + kLineWidth + kKeyMargin, at.y);
  }

 private:
  glm::dvec2 scaled(glm::dvec2 pixel) const { return static_cast<double>(pen_.scale()) * pixel; }

  void write(std::string_view text, double x, double y) {
    pen_.label({.text = std::string(text),
                .place = {glm::vec2(scaled({x, y})), {0, 0.5F}},
                .color = glm::vec4(look_.theme().ink, 1)});
  }

  RegionPen& pen_;
  const SampleSlices& s_;
  const MethodLook& look_;
};

}  // namespace

int key_height(glm::ivec2 size, float scale) {
  const double lines = std::floor(kKeyShare * size.y / (scale * kKeyLine));
  const auto places = entry_places(size.x / static_cast<double>(scale), lines);
  if (places.empty()) return 0;
  return static_cast<int>(
      std::lround(static_cast<double>(scale) * kKeyLine * (places.back().y + 1)));
}

void draw_key(RegionPen& pen, const SampleSlices& slices, const MethodLook& look) {
  KeyDrawing drawing(pen, slices, look);
  const double scale = pen.scale(), lines = std::round(pen.region().size.y / (scale * kKeyLine));
  const auto places = entry_places(pen.region().size.x / scale, lines);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const glm::dvec2 at(places[i].x, (places[i].y + 0.5) * kKeyLine);
    if (i == 0) drawing.draw_values(at);
    if (i == 1) drawing.draw_line(at, look.theme().chosen, false, kChosen);
    if (i == 2) drawing.draw_line(at, look.theme().quiet, true, kDashed);
  }
}

}  // namespace skde::view
