#include "viewer/layers/method/method_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string_view>
#include <utility>

#include "viewer/layers/method/sample_slices.hpp"

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

/// Returns the height, in pixels, of the key below a method view of `size` pixels: at most 8 % of
/// the view's. Entries that do not fit are left out, the last ones first. 0 if none fits.
int key_height(glm::ivec2 size, float scale) {
  const double lines = std::floor(kKeyShare * size.y / (scale * kKeyLine));
  const auto places = entry_places(size.x / static_cast<double>(scale), lines);
  if (places.empty()) return 0;
  return static_cast<int>(
      std::lround(static_cast<double>(scale) * kKeyLine * (places.back().y + 1)));
}

/// Draws what the colours and lines of the method view mean: a bar with the kernel's values from 0
/// to the greatest one, the chosen slice, and dashed edges.
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

constexpr int kCaptionLine = 18, kCaptionMargin = 5;  // of captions, in pixels at scale 1
constexpr int kCaptionHeight = 2 * kCaptionLine + kCaptionMargin;

/// Returns part `index` of a region that is cut into columns and rows.
PixelRegion tile(const PixelRegion& region, int columns, int rows, int index) {
  const glm::ivec2 count(columns, rows), at(index % columns, index / columns);
  const glm::ivec2 from = region.size * at / count, to = region.size * (at + 1) / count;
  return {region.corner + from, to - from};
}

int scaled_caption(float scale) { return static_cast<int>(std::lround(scale * kCaptionHeight)); }

void draw_caption(MethodPicture& to, const PixelRegion& part, const MethodCaption& caption,
                  const MethodLook& look, float scale) {
  const glm::vec2 corner = glm::vec2(part.corner) + scale * static_cast<float>(kCaptionMargin);
  const int margin = static_cast<int>(std::lround(scale * kCaptionMargin));
  const PixelRegion room{part.corner, part.size - glm::ivec2(std::min(margin, part.size.x), 0)};
  const glm::vec4 ink(look.theme().ink, 1), quiet(look.theme().quiet, 1);
  to.labels.push_back({.text = caption.title,
                       .place = {corner, {0, 0}},
                       .color = ink,
                       .shorter = {caption.short_title},
                       .room = room});
  to.labels.push_back({.text = caption.counts.front(),
                       .place = {corner + glm::vec2(0, scale * kCaptionLine), {0, 0}},
                       .color = glm::mix(quiet, ink, 0.5F),
                       .shorter = {caption.counts.begin() + 1, caption.counts.end()},
                       .room = room});
}

}  // namespace

MethodParts method_parts(const PixelRegion& whole, float scale) {
  const int key = key_height(whole.size, scale), caption = scaled_caption(scale);
  const PixelRegion region{whole.corner, whole.size - glm::ivec2(0, key)};
  int columns = 2, best = 0;
  for (const int count : {2, 4, 1}) {
    const int side = std::min(region.size.x / count, region.size.y / (4 / count) - caption);
    if (side <= best) continue;
    best = side;
    columns = count;
  }
  const auto part = [&](int index) { return tile(region, columns, 4 / columns, index); };
  return {{part(0), part(1), part(2)},
          part(3),
          {region.corner + glm::ivec2(0, region.size.y), {region.size.x, key}}};
}

PixelRegion below_caption(const PixelRegion& part, float scale) {
  const int caption = std::min(scaled_caption(scale), part.size.y);
  return {part.corner + glm::ivec2(0, caption), part.size - glm::ivec2(0, caption)};
}

MethodPicture method_picture(const SampleSlices& slices, const PixelRegion& region,
                             const MethodLook& look, float scale) {
  MethodPicture picture;
  RegionPen ground(picture, region, scale);
  ground.rectangle({0, 0}, region.size, glm::vec4(look.theme().ground, 1));
  const MethodParts parts = method_parts(region, scale);
  const auto captions = method_captions(slices, chosen_slice(slices, look));
  for (std::size_t i = 0; i < 3; ++i)
    draw_caption(picture, parts.steps[i], captions[i], look, scale);
  draw_caption(picture, parts.face, captions[3], look, scale);
  for (std::size_t i = 0; i < 3; ++i) {
    RegionPen pen(picture, below_caption(parts.steps[i], scale), scale);
    if (pen.region().size.y > 0) draw_step(pen, static_cast<MethodStep>(i), slices, look);
  }
  RegionPen pen(picture, below_caption(parts.face, scale), scale);
  if (pen.region().size.y > 0) draw_face(pen, slices, look);
  if (parts.key.size.y > 0) {
    RegionPen key(picture, parts.key, scale);
    draw_key(key, slices, look);
  }
  for (SliceLabel& label : picture.labels) label.ground = look.theme().ground;
  return picture;
}

RegionPen::RegionPen(MethodPicture& to, const PixelRegion& region, float scale)
    : to_(to), region_(region), scale_(scale) {
  begin_layer();
}

void RegionPen::begin_layer() {
  if (!to_.shapes.empty() && to_.shapes.back().region.size == region_.size &&
      to_.shapes.back().region.corner == region_.corner && to_.shapes.back().quads.empty() &&
      to_.shapes.back().lines.empty())
    return;
  to_.shapes.push_back({region_, {}, {}});
}

void RegionPen::quad(const std::array<glm::dvec2, 4>& corners, glm::vec4 color) {
  FilledQuad filled{{}, color};
  for (std::size_t i = 0; i < 4; ++i)
    filled.corners[i] = glm::vec2(corners[i] + glm::dvec2(region_.corner));
  to_.shapes.back().quads.push_back(filled);
}

void RegionPen::rectangle(glm::dvec2 lower, glm::dvec2 upper, glm::vec4 color) {
  quad({lower, glm::dvec2(upper.x, lower.y), upper, glm::dvec2(lower.x, upper.y)}, color);
}

void RegionPen::line(std::span<const glm::dvec2> places, float width, glm::vec4 color) {
  if (places.size() < 2) return;
  PolyLine line{{}, width * scale_, color};
  for (const glm::dvec2 place : places)
    line.places.emplace_back(place + glm::dvec2(region_.corner));
  to_.shapes.back().lines.push_back(std::move(line));
}

void RegionPen::line(glm::dvec2 from, glm::dvec2 to, float width, glm::vec4 color) {
  line(std::array{from, to}, width, color);
}

void RegionPen::disc(glm::dvec2 centre, double radius, glm::vec4 color, glm::vec4 rim) {
  constexpr std::size_t kSides = 24;
  std::array<glm::dvec2, kSides + 1> ring;
  for (std::size_t k = 0; k <= kSides; ++k) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(k) / kSides;
    ring[k] = centre + radius * glm::dvec2(std::cos(angle), std::sin(angle));
  }
  for (std::size_t k = 0; k < kSides; k += 2)
    quad({centre, ring[k], ring[k + 1], ring[k + 2]}, color);
  line(ring, 1.2F, rim);
}

void RegionPen::label(SliceLabel label) {
  const glm::vec2 corner(region_.corner);
  label.place.pixel += corner;
  for (TextPlace& place : label.elsewhere) place.pixel += corner;
  label.room = region_;
  to_.labels.push_back(std::move(label));
}

}  // namespace skde::view
