#include "viewer/layers/method/method_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace skde::view {
namespace {

constexpr double kFaceLeastCell = 2, kFaceLinedCell = 5, kDottedCell = 9;  // pixels at scale 1
constexpr double kFaceGap = 6;                                             // of labels
constexpr double kFaceApart = 44;  // least pixels between two texts side by side
constexpr double kInsetShare = 0.26, kLeastInset = 36;  // of the shorter side; pixels at scale 1
constexpr double kInsetUpTo = 0.7;  // no inset if the kernel takes a larger share of the slice

/// Returns the first and the last cell of a range as texts with their places. If these are less
/// than `apart` cells from each other, one text covers both.
std::vector<std::pair<std::string, double>> range_texts(IndexRange range, double apart) {
  if (range.empty()) return {};
  const std::string first = fmt::format("{}", range.begin), last = fmt::format("{}", range.end - 1);
  if (range.size() == 1) return {{first, range.begin + 0.5}};
  if (range.size() - 1 < apart)
    return {{fmt::format("{}..{}", first, last), 0.5 * (range.begin + range.end)}};
  return {{first, range.begin + 0.5}, {last, range.end - 0.5}};
}

/// Returns the longer edge of the inset in pixels; 0 if there is none.
double inset_room(const SampleSlices& slices, const MethodLook& look, glm::ivec2 size,
                  float scale) {
  const GridRange& kernel = slices.bounds;
  if (look.full_share > 0 || (kernel.x.size() > kInsetUpTo * slices.dims[0] &&
                              kernel.y.size() > kInsetUpTo * slices.dims[1]))
    return 0;
  const double room = kInsetShare * std::min(size.x, size.y);
  return room < kLeastInset * scale ? 0 : room;
}

class FaceDrawing {
 public:
  FaceDrawing(RegionPen& pen, const SampleSlices& slices, const MethodLook& look)
      : pen_(pen),
        s_(slices),
        look_(look),
        theme_(look.theme()),
        frame_(face_frame(slices, look, pen.region().size, pen.scale())),
        slice_(slices.slices[chosen_slice(slices, look)]),
        z_(slice_.z + 0.5),
        pixels_(frame_.pixels_per_cell() / pen.scale()) {}

  void draw() {
    draw_full();
    draw_cells();
    if (pixels_ >= kFaceLinedCell) rule();
    if (pixels_ >= kDottedCell) draw_centres();
    pen_.begin_layer();
    draw_range();
    draw_ellipse();
    label_ranges();
    if (const double room = inset_room(s_, look_, pen_.region().size, pen_.scale()); room > 0)
      draw_inset(room);
  }

 private:
  void fill(glm::dvec2 lower, glm::dvec2 upper, glm::vec4 color) {
    pen_.rectangle(frame_.to_pixel(lower), frame_.to_pixel(upper), color);
  }
  /// Writes a text, which may lie over lines, at a pixel or else in one of other places.
  void write(const std::string& text, glm::dvec2 pixel, glm::vec2 anchor,
             std::vector<TextPlace> elsewhere = {}) {
    pen_.label({.text = text,
                .place = {glm::vec2(pixel), anchor},
                .color = glm::vec4(theme_.ink, 1),
                .elsewhere = std::move(elsewhere),
                .over_lines = true});
  }
  /// Returns the cells of the slice that the picture shows.
  GridRange shown() const {
    const glm::dvec2 size(pen_.region().size);
    const glm::dvec2 low = frame_.to_cell({0, size.y}), high = frame_.to_cell({size.x, 0});
    const auto range = [](double from, double to, std::int32_t cells) {
      return IndexRange{static_cast<std::int32_t>(std::clamp<double>(std::floor(from), 0, cells)),
                        static_cast<std::int32_t>(std::clamp<double>(std::ceil(to), 0, cells))};
    };
    return {range(low.x, high.x, s_.dims[0]), range(low.y, high.y, s_.dims[1])};
  }

  void draw_full() {
    const GridRange r = shown();
    fill({r.x.begin, r.y.begin}, {r.x.end, r.y.end}, glm::vec4(theme_.full, 1));
  }

  void draw_cells() {
    const GridRange& r = slice_.range;
    fill({r.x.begin, r.y.begin}, {r.x.end, r.y.end}, glm::vec4(theme_.evaluated, 1));
    const int side =
        pixels_ < kFaceLeastCell ? static_cast<int>(std::ceil(kFaceLeastCell / pixels_)) : 1;
    for_inside_cells(s_, slice_, side, [&](const CellBlock& block) {
      fill(block.lower, block.upper, glm::vec4(value_color(look_, block.value), 1));
    });
  }

  /// Draws the edges between cells.
  void rule() {
    const GridRange r = shown();
    const glm::vec4 color(theme_.ground, 0.55F);
    const auto line = [&](glm::dvec2 from, glm::dvec2 to) {
      pen_.line(frame_.to_pixel(from), frame_.to_pixel(to), 1, color);
    };
    for (int x = r.x.begin; x <= r.x.end; ++x) line({x, r.y.begin}, {x, r.y.end});
    for (int y = r.y.begin; y <= r.y.end; ++y) line({r.x.begin, y}, {r.x.end, y});
  }

  /// Marks the centres of the evaluated cells, where the kernel's value is taken.
  void draw_centres() {
    pen_.begin_layer();
    const double half = pen_.scale() * std::clamp(0.06 * pixels_, 0.9, 2.5);
    for (int y = slice_.range.y.begin; y < slice_.range.y.end; ++y)
      for (int x = slice_.range.x.begin; x < slice_.range.x.end; ++x) {
        const double value = s_.value_at(x, y, slice_.z);
        const glm::vec3 cell = value > 0 ? value_color(look_, value) : theme_.evaluated;
        const bool bright = glm::dot(cell, glm::vec3(0.2126F, 0.7152F, 0.0722F)) > 0.45F;
        const glm::dvec2 centre = frame_.to_pixel({x + 0.5, y + 0.5});
        pen_.rectangle(centre - half, centre + half, glm::vec4(glm::vec3(bright ? 0 : 1), 0.75F));
      }
  }

  void draw_range() {
    const GridRange& r = slice_.range;
    if (r.cells() == 0) return;
    const glm::dvec2 a = frame_.to_pixel({r.x.begin, r.y.begin}),
                     b = frame_.to_pixel({r.x.end, r.y.end});
    pen_.line(std::array{a, glm::dvec2(b.x, a.y), b, glm::dvec2(a.x, b.y), a}, 2,
              glm::vec4(theme_.chosen, 1));
  }

  void draw_ellipse() {
    std::vector<glm::dvec2> pixels;
    for (const glm::dvec3& place : cut_ellipse(s_, z_)) pixels.push_back(frame_.to_pixel(place));
    // A dark rim keeps the line apart from bright cells.
    pen_.line(pixels, 3, glm::vec4(theme_.ground, 0.7F));
    pen_.line(pixels, 1.6F, glm::vec4(theme_.ink, 1));
    for (const AxisEnds& axis : ellipse_axes(s_, z_)) {
      pen_.line(frame_.to_pixel(axis[0]), frame_.to_pixel(axis[1]), 2.4F,
                glm::vec4(theme_.ground, 0.6F));
      pen_.line(frame_.to_pixel(axis[0]), frame_.to_pixel(axis[1]), 1.1F,
                glm::vec4(theme_.ink, 0.9F));
    }
    pen_.disc(frame_.to_pixel(sample_position(s_)), 4 * pen_.scale(), glm::vec4(theme_.sample, 1),
              glm::vec4(theme_.ink, 1));
  }

  void label_ranges() {
    const auto [x, y] = slice_.range;
    const double gap = kFaceGap * pen_.scale(), apart = kFaceApart / pixels_;
    for (const auto& [text, cell] : range_texts(x, apart))
      write(text, frame_.to_pixel({cell, y.begin}) + glm::dvec2(0, gap), {0.5F, 0});
    for (const auto& [text, cell] : range_texts(y, 0.5 * apart))
      write(text, frame_.to_pixel({x.begin, cell}) - glm::dvec2(gap, 0), {1, 0.5F});
    name_axes(gap);
  }

  /// Writes the axes' names in the middle of the lower and the left edge of what crop keeps.
  void name_axes(double gap) {
    const auto [x, y] = slice_.range;
    const double letter = 15 * pen_.scale();
    const glm::dvec2 low = frame_.to_pixel({0.5 * (x.begin + x.end), y.begin}),
                     side = frame_.to_pixel({x.begin, 0.5 * (y.begin + y.end)});
    write(look_.axes[0], low + glm::dvec2(0, gap), {0.5F, 0},
          {{glm::vec2(low + glm::dvec2(0, gap + 1.3 * letter)), {0.5F, 0}}});
    write(look_.axes[1], side - glm::dvec2(gap, 0), {1, 0.5F},
          {{glm::vec2(side + glm::dvec2(-gap, 1.3 * letter)), {1, 0.5F}}});
  }

  /// Draws the full slice small, in the upper right corner.
  void draw_inset(double room) {
    const glm::dvec2 cells(s_.dims[0], s_.dims[1]), size(pen_.region().size);
    const double pixels = room / std::max(cells.x, cells.y), gap = kFaceGap * pen_.scale();
    const glm::dvec2 extent = glm::max(pixels * cells, glm::dvec2(3 * pen_.scale()));
    const glm::dvec2 corner(size.x - gap - extent.x, gap);
    const auto place = [&](double x, double y) {
      return corner + glm::dvec2(x / cells.x, 1 - y / cells.y) * extent;
    };
    pen_.begin_layer();
    pen_.rectangle(corner - gap, corner + extent + gap, glm::vec4(theme_.ground, 0.9F));
    pen_.rectangle(corner, corner + extent, glm::vec4(theme_.full, 1));
    const glm::dvec2 a = place(slice_.range.x.begin, slice_.range.y.begin),
                     b = place(slice_.range.x.end, slice_.range.y.end);
    const glm::dvec2 middle = 0.5 * (a + b), least(1.5 * pen_.scale());
    const glm::dvec2 half = glm::max(0.5 * glm::abs(b - a), least);
    pen_.rectangle(middle - half, middle + half, glm::vec4(theme_.chosen, 1));
    const glm::dvec2 end = corner + extent;
    pen_.line(
        std::array{corner, glm::dvec2(end.x, corner.y), end, glm::dvec2(corner.x, end.y), corner},
        1, glm::vec4(theme_.quiet, 1));
    write(fmt::format("{} \u00d7 {}", s_.dims[0], s_.dims[1]),
          {size.x - gap, corner.y + extent.y + gap}, {1, 0});
  }

  RegionPen& pen_;
  const SampleSlices& s_;
  const MethodLook& look_;
  const MethodColors& theme_;
  FaceFrame frame_;
  const SampleSlice& slice_;
  double z_, pixels_;  // of a cell, at scale 1
};

}  // namespace

FaceFrame face_frame(const SampleSlices& slices, const MethodLook& look, glm::ivec2 size,
                     float scale) {
  glm::ivec2 beside = size;
  if (size.x > size.y)
    beside.x -= std::min(static_cast<int>(inset_room(slices, look, size, scale)), size.x - size.y);
  return {fitted_box(slices, look.full_share), beside, scale};
}

void draw_face(RegionPen& pen, const SampleSlices& slices, const MethodLook& look) {
  if (!slices.slices.empty() && slices.bounds.cells() > 0)
    return FaceDrawing(pen, slices, look).draw();
  pen.label({.text = "the kernel reaches no cell",
             .place = {0.5F * glm::vec2(pen.region().size), {0.5F, 0.5F}},
             .color = glm::vec4(look.theme().ink, 1),
             .shorter = {"no cell"}});
}

}  // namespace skde::view
