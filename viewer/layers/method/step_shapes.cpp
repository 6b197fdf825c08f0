#include "viewer/layers/method/method_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace skde::view {
namespace {

constexpr double kAroundChop = 0.7;  // of full slices, relative to the cropped ranges
constexpr std::int64_t kMostSheets = 40, kMostOfGrid = 12;  // further slices are left out
constexpr double kStackLeastCell = 3;  // pixels at scale 1; smaller cells are drawn in blocks
constexpr double kStackLinedCell = 5;  // pixels at scale 1, from which on cells have edges
constexpr double kRoomForNames = 90;   // pixels at scale 1
constexpr double kNameLetter = 8;      // pixels at scale 1
constexpr double kMostNames = 0.4;     // of the width
constexpr double kDash = 4;            // pixels at scale 1
constexpr double kLeastKernel = 9;     // pixels at scale 1; a smaller outline gets a ring
constexpr double kStackGap = 6, kStackApart = 18;  // pixels at scale 1, of labels

/// The edges of a rectangle of cells.
struct CellRectangle {
  glm::dvec2 lower, upper;
  std::array<glm::dvec2, 4> corners() const {
    return {lower, glm::dvec2(upper.x, lower.y), upper, glm::dvec2(lower.x, upper.y)};
  }
};

/// Returns the opacity of a sheet with which `sheets` overlapping ones have the opacity `total`.
float thinned(double total, double sheets) {
  return static_cast<float>(1 - std::pow(1 - total, 1 / std::max(1.0, sheets)));
}

CellRectangle rectangle_of(const GridRange& range) {
  return {{range.x.begin, range.y.begin}, {range.x.end, range.y.end}};
}

CellBox box_of(MethodStep step, const SampleSlices& slices, float full_share) {
  if (step == MethodStep::all_cells) return grid_box(slices);
  return fitted_box(slices, full_share, step == MethodStep::chop ? kAroundChop : 0);
}

bool has_names(glm::ivec2 size, float scale) {
  return std::min(size.x, size.y) >= kRoomForNames * scale;
}

glm::dvec3 drawn_cell(MethodStep step, const MethodLook& look) {
  return look.cell * glm::dvec3(1, 1, step == MethodStep::all_cells ? 1 : look.apart);
}

double height_of(const SampleSlice& slice) { return slice.z + 0.5; }

class StackDrawing {
 public:
  StackDrawing(RegionPen& pen, MethodStep step, const SampleSlices& slices, const MethodLook& look)
      : pen_(pen),
        step_(step),
        s_(slices),
        look_(look),
        theme_(look.theme()),
        window_(box_of(step, slices, look.full_share)),
        frame_(stack_frame(step, slices, look, pen.region().size, pen.scale())),
        chosen_(chosen_slice(slices, look)) {}

  void draw() {
    if (step_ == MethodStep::all_cells || s_.slices.empty()) draw_grid();
    if (step_ != MethodStep::all_cells && !s_.slices.empty()) draw_sheets();
    pen_.begin_layer();
    if (step_ != MethodStep::chop) draw_outline();
    if (step_ == MethodStep::chop && !s_.slices.empty())  // sheets before the chosen one cover it
      curve(cut_ellipse(s_, height_of(s_.slices[chosen_])), 1.6F, glm::vec4(theme_.chosen, 1));
    if (step_ == MethodStep::crop)
      for (const AxisEnds& axis : kernel_axes(s_))
        segment(axis[0], axis[1], 1, glm::vec4(theme_.ink, 0.85F));
    draw_sample();
    if (!has_names(pen_.region().size, pen_.scale())) return;
    if (step_ == MethodStep::all_cells)
      name_axes();
    else if (!s_.slices.empty())
      name_slices();
  }

 private:
  std::optional<glm::dvec2> at(glm::dvec2 cell, double z) const {
    return frame_.to_pixel(glm::dvec3(cell, z));
  }

  void fill(const CellRectangle& cells, double z, glm::vec4 color) {
    std::array<glm::dvec2, 4> pixels{};
    const auto corners = cells.corners();
    for (std::size_t i = 0; i < 4; ++i) {
      const auto pixel = at(corners[i], z);
      if (!pixel) return;
      pixels[i] = *pixel;
    }
    pen_.quad(pixels, color);
  }

  void segment(glm::dvec3 from, glm::dvec3 to, float width, glm::vec4 color) {
    const auto a = frame_.to_pixel(from), b = frame_.to_pixel(to);
    if (a && b) pen_.line(*a, *b, width, color);
  }

  /// Draws the edges of a rectangle, with dashes where it is a part of the whole one.
  void outline(const CellRectangle& cells, const CellRectangle& whole, double z, float width,
               glm::vec4 color) {
    const auto edge = [&](glm::dvec2 from, glm::dvec2 to, bool is_end) {
      const auto a = at(from, z), b = at(to, z);
      if (!a || !b) return;
      if (is_end) return pen_.line(*a, *b, width, color);
      const double dashes = std::min(200.0, glm::distance(*a, *b) / (kDash * pen_.scale()));
      for (int k = 0; k < dashes; k += 2)
        pen_.line(glm::mix(*a, *b, k / dashes), glm::mix(*a, *b, std::min(1.0, (k + 1) / dashes)),
                  width, color);
    };
    const auto c = cells.corners();
    edge(c[0], c[1], cells.lower.y == whole.lower.y);
    edge(c[1], c[2], cells.upper.x == whole.upper.x);
    edge(c[2], c[3], cells.upper.y == whole.upper.y);
    edge(c[3], c[0], cells.lower.x == whole.lower.x);
  }

  /// Returns the pixels of places in cells; none if one is behind the eye.
  std::vector<glm::dvec2> pixels_of(const std::vector<glm::dvec3>& cells) const {
    std::vector<glm::dvec2> pixels;
    for (const glm::dvec3& cell : cells) {
      const auto pixel = frame_.to_pixel(cell);
      if (!pixel) return {};
      pixels.push_back(*pixel);
    }
    return pixels;
  }

  void curve(const std::vector<glm::dvec3>& cells, float width, glm::vec4 color) {
    pen_.line(pixels_of(cells), width, color);
  }

  /// Calls `draw` with numbers from begin to end - 1, the farthest from the eye first. Some are
  /// left out if there are more than `most`, but not the one to keep.
  template <class Draw>
  void for_sheets(std::int64_t begin, std::int64_t end, std::int64_t most, std::int64_t keep,
                  const Draw& draw) const {
    const std::int64_t step = std::max<std::int64_t>(1, (end - begin + most - 1) / most);
    std::vector<std::int64_t> chosen;
    for (std::int64_t z = begin; z < end; ++z)
      if ((z - keep) % step == 0) chosen.push_back(z);
    const double eye = frame_.eye().z - 0.5;
    std::ranges::sort(chosen, [&](std::int64_t a, std::int64_t b) {
      return std::abs(static_cast<double>(a) - eye) > std::abs(static_cast<double>(b) - eye);
    });
    for (const std::int64_t z : chosen) draw(z);
  }

  void draw_grid() {
    const CellRectangle whole{{0, 0}, {s_.dims[0], s_.dims[1]}};
    const double count = std::min<double>(s_.dims[2], kMostOfGrid);
    const std::int64_t keep = s_.slices.empty() ? s_.dims[2] / 2 : s_.slices[chosen_].z;
    for_sheets(0, s_.dims[2], kMostOfGrid, keep, [&](std::int64_t z) {
      const double height = static_cast<double>(z) + 0.5;
      const bool lit = z == keep && !s_.slices.empty();
      pen_.begin_layer();
      fill(whole, height, glm::vec4(theme_.full, thinned(0.75, count / 2)));
      outline(whole, whole, height, lit ? 1.6F : 1,
              lit ? glm::vec4(theme_.chosen, 1) : glm::vec4(theme_.quiet, 0.6F));
    });
    const glm::vec4 color(theme_.quiet, 0.8F);
    for (const glm::dvec2 corner : whole.corners())
      segment({corner, 0}, {corner, s_.dims[2]}, 1, color);
    for (const double z : {0, s_.dims[2]}) outline(whole, whole, z, 1, color);
  }

  /// Returns how many sheets lie over each other where the eye sees them.
  double overlap() const {
    const glm::dvec3 centre = window_.centre();
    const auto here = frame_.to_pixel(centre),
               above = frame_.to_pixel(centre + glm::dvec3(0, 0, 1));
    const auto low = at({centre.x, window_.lower.y}, centre.z),
               high = at({centre.x, window_.upper.y}, centre.z);
    const auto left = at({window_.lower.x, centre.y}, centre.z),
               right = at({window_.upper.x, centre.y}, centre.z);
    if (!here || !above || !low || !high || !left || !right) return 1;
    const double deep = std::max(std::abs(low->y - high->y), std::abs(left->y - right->y));
    const auto count = static_cast<std::int64_t>(s_.slices.size());
    const auto apart = std::max<std::int64_t>(1, (count + kMostSheets - 1) / kMostSheets);
    const double step = std::abs(here->y - above->y) * static_cast<double>(apart);
    return std::min(deep / std::max(step, 1e-6), static_cast<double>(count));
  }

  void draw_sheets() {
    const double overlapping = overlap();
    const auto count = static_cast<std::int64_t>(s_.slices.size());
    const std::int64_t first = s_.z.begin;
    for_sheets(first, first + count, kMostSheets, s_.slices[chosen_].z, [&](std::int64_t z) {
      const SampleSlice& slice = s_.slices[static_cast<std::size_t>(z - first)];
      const std::int32_t chosen = s_.slices[chosen_].z;
      const bool lit = slice.z == chosen;
      const bool before = (slice.z > chosen) == (frame_.eye().z > chosen + 0.5) && !lit;
      pen_.begin_layer();
      if (step_ == MethodStep::chop)
        draw_full(slice, lit, overlapping);
      else
        draw_cropped(slice, lit, before && overlapping > 1.3 ? thinned(0.4, overlapping) : 1);
    });
  }

  void draw_full(const SampleSlice& slice, bool lit, double overlapping) {
    const CellRectangle whole{{0, 0}, {s_.dims[0], s_.dims[1]}};
    const CellRectangle seen{window_.lower, window_.upper};
    const double z = height_of(slice);
    fill(seen, z, glm::vec4(theme_.full, lit ? 0.9F : thinned(0.9, 0.7 * overlapping)));
    outline(seen, whole, z, lit ? 1.6F : 1, glm::vec4(lit ? theme_.chosen : theme_.quiet, 0.9F));
    curve(cut_ellipse(s_, z), lit ? 1.6F : 1,
          lit ? glm::vec4(theme_.chosen, 1) : glm::vec4(theme_.ink, 0.7F));
  }

  void draw_cropped(const SampleSlice& slice, bool lit, float opacity) {
    if (slice.range.cells() == 0) return;
    const CellRectangle range = rectangle_of(slice.range);
    const double z = height_of(slice);
    fill(range, z, glm::vec4(theme_.evaluated, opacity));
    const double pixels = cell_pixels(z);
    const double least = kStackLeastCell * pen_.scale();
    const int side = pixels < least ? static_cast<int>(std::ceil(least / pixels)) : 1;
    for_inside_cells(s_, slice, side, [&](const CellBlock& block) {
      fill({block.lower, block.upper}, z, glm::vec4(value_color(look_, block.value), opacity));
    });
    if (pixels >= kStackLinedCell * pen_.scale()) {  // the edges between cells
      const glm::vec4 color(theme_.ground, 0.35F * opacity);
      for (int x = slice.range.x.begin + 1; x < slice.range.x.end; ++x)
        segment({x, range.lower.y, z}, {x, range.upper.y, z}, 0.8F, color);
      for (int y = slice.range.y.begin + 1; y < slice.range.y.end; ++y)
        segment({range.lower.x, y, z}, {range.upper.x, y, z}, 0.8F, color);
    }
    outline(range, range, z, lit ? 2 : 1,
            lit ? glm::vec4(theme_.chosen, 1) : glm::vec4(theme_.quiet, 0.3F + 0.7F * opacity));
  }

  /// Returns the length of a cell's shorter edge on the picture, about the middle of a slice.
  double cell_pixels(double z) const {
    const glm::dvec2 centre(window_.centre());
    const auto a = at(centre, z), b = at(centre + glm::dvec2(1, 0), z),
               c = at(centre + glm::dvec2(0, 1), z);
    if (!a || !b || !c) return 1;
    return std::max(0.05, std::min(glm::distance(*a, *b), glm::distance(*a, *c)));
  }

  void draw_outline() {
    const std::vector<glm::dvec2> pixels = pixels_of(kernel_outline(s_, frame_.eye()));
    if (pixels.empty()) return;
    const auto centre = frame_.to_pixel(sample_position(s_));
    double reach = 0;
    for (const glm::dvec2& pixel : pixels)
      if (centre) reach = std::max(reach, glm::distance(pixel, *centre));
    if (step_ == MethodStep::all_cells && centre) {
      for (std::size_t k = 1; k < pixels.size(); ++k)
        pen_.quad({*centre, pixels[k - 1], pixels[k], pixels[k]},
                  glm::vec4(value_color(look_, 0.6), 0.85F));
      const double least = kLeastKernel * pen_.scale();
      if (reach < least)
        pen_.disc(*centre, least, glm::vec4(theme_.ink, 0), glm::vec4(theme_.chosen, 1));
    }
    pen_.line(pixels, 1.4F, glm::vec4(theme_.ink, 1));
  }

  void draw_sample() {
    const auto pixel = frame_.to_pixel(sample_position(s_));
    if (!pixel) return;
    const double radius = step_ == MethodStep::all_cells ? 2 : 3.5;
    pen_.disc(*pixel, radius * pen_.scale(), glm::vec4(theme_.sample, 1), glm::vec4(theme_.ink, 1));
  }

  /// Writes the axes' names beside the lowest edges along x and y, and the leftmost along z.
  void name_axes() {
    const CellBox grid = grid_box(s_);
    const auto centre = frame_.to_pixel(grid.centre());
    if (!centre) return;
    constexpr std::array<glm::dvec2, 3> kSides{{{0, 1}, {0, 1}, {-1, 0}}};
    for (int axis = 0; axis < 3; ++axis) {
      std::optional<glm::dvec2> best;
      const auto i = static_cast<std::size_t>(axis);
      for (int edge = 0; edge < 4; ++edge) {
        glm::dvec3 place = grid.centre();
        const int b = (axis + 1) % 3, c = (axis + 2) % 3;
        place[b] = (edge & 1) != 0 ? grid.upper[b] : grid.lower[b];
        place[c] = (edge & 2) != 0 ? grid.upper[c] : grid.lower[c];
        const auto pixel = frame_.to_pixel(place);
        if (pixel && (!best || glm::dot(*pixel - *best, kSides[i]) > 1e-6)) best = pixel;
      }
      if (!best) continue;
      const glm::dvec2 away = *best - *centre;
      const glm::dvec2 out = away / std::max(glm::length(away), 1e-6);
      pen_.label(
          {.text = look_.axes[i],
           .place = {glm::vec2(*best + kStackGap * pen_.scale() * out), glm::vec2(0.5 - 0.5 * out)},
           .color = glm::vec4(theme_.ink, 1)});
    }
  }

  /// Returns the line around what is drawn of a slice, closed, in pixels.
  std::vector<glm::dvec2> sheet_edge(const SampleSlice& slice) const {
    if (slice.range.cells() == 0) return {};
    const CellRectangle drawn = step_ == MethodStep::chop
                                    ? CellRectangle{window_.lower, window_.upper}
                                    : rectangle_of(slice.range);
    std::vector<glm::dvec3> places;
    for (const glm::dvec2 corner : drawn.corners()) places.emplace_back(corner, height_of(slice));
    places.push_back(places.front());
    return pixels_of(places);
  }

  /// Returns the left and the right end of the stack between two heights of the picture.
  std::array<double, 2> ends_between(double upper, double lower) const {
    std::array<double, 2> ends{1e9, -1e9};
    const auto widen = [&](const std::vector<glm::dvec2>& edge) {
      for (std::size_t k = 1; k < edge.size(); ++k) {
        const glm::dvec2 a = edge[k - 1], way = edge[k] - a;
        double from = (upper - a.y) / way.y, to = (lower - a.y) / way.y;
        if (way.y == 0) from = a.y < upper || a.y > lower ? 2 : 0, to = 1;
        if (from > to) std::swap(from, to);
        for (const double share : {std::max(from, 0.0), std::min(to, 1.0)}) {
          if (from > 1 || to < 0) continue;
          ends = {std::min(ends[0], a.x + share * way.x), std::max(ends[1], a.x + share * way.x)};
        }
      }
    };
    for (const SampleSlice& slice : s_.slices) widen(sheet_edge(slice));
    widen(pixels_of(kernel_outline(s_, frame_.eye())));
    return ends;
  }

  /// Writes the heights of the chosen, the first and the last slice beside the stack.
  void name_slices() {
    std::vector<double> heights;  // of the labels so far, which others must not cover
    const double gap = kStackGap * pen_.scale(), apart = kStackApart * pen_.scale();
    for (const std::size_t index : {chosen_, std::size_t{0}, s_.slices.size() - 1}) {
      const std::vector<glm::dvec2> edge = sheet_edge(s_.slices[index]);
      if (edge.empty()) continue;
      const double y = std::ranges::max(edge, {}, &glm::dvec2::x).y;
      const auto covered = [&](double other) { return std::abs(y - other) < apart; };
      if (std::ranges::any_of(heights, covered)) continue;
      heights.push_back(y);
      const auto ends = ends_between(y - 0.5 * apart, y + 0.5 * apart);
      pen_.label({.text = fmt::format("z = {}", s_.slices[index].z),
                  .place = {glm::vec2(ends[1] + gap, y), {0, 0.5F}},
                  .color = glm::vec4(index == chosen_ ? theme_.chosen : theme_.ink, 1),
                  .elsewhere = {{glm::vec2(ends[0] - gap, y), {1, 0.5F}}},
                  .shorter = {fmt::format("{}", s_.slices[index].z)}});
    }
  }

  RegionPen& pen_;
  MethodStep step_;
  const SampleSlices& s_;
  const MethodLook& look_;
  const MethodColors& theme_;
  CellBox window_;
  StackFrame frame_;
  std::size_t chosen_;
};

}  // namespace

StackFrame stack_frame(MethodStep step, const SampleSlices& slices, const MethodLook& look,
                       glm::ivec2 size, float scale) {
  if (step != MethodStep::all_cells && has_names(size, scale)) {
    const double letters = static_cast<double>(fmt::format("z = {}", slices.z.end).size());
    const double wanted = scale * (kNameLetter * letters + kStackGap);
    size.x -= static_cast<int>(std::min(wanted, kMostNames * size.x));
  }
  return {box_of(step, slices, look.full_share), drawn_cell(step, look), look.camera, size};
}

void draw_step(RegionPen& pen, MethodStep step, const SampleSlices& slices,
               const MethodLook& look) {
  StackDrawing(pen, step, slices, look).draw();
}

}  // namespace skde::view
