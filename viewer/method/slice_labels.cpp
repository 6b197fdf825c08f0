// The labels of MethodView, which the panels draw.
#include <fmt/core.h>

#include <cmath>
#include <optional>
#include <utility>

#include "viewer/method/slice_view.hpp"
#include "viewer/scene/scene_overlay.hpp"

namespace skde::view {
namespace {

constexpr float kGap = 6;  // pixels between a text and its object
constexpr float kHalfLetter = 7;
constexpr double kApart = 44;  // least pixels between two texts side by side

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

/// The leftmost and rightmost points of the cropped ranges of slices, on the picture.
struct SideEnds {
  std::optional<glm::dvec2> left, right;

  void add(const std::optional<glm::dvec2>& pixel) {
    if (!pixel) return;
    if (!left || pixel->x < left->x) left = pixel;
    if (!right || pixel->x > right->x) right = pixel;
  }
};

SideEnds side_ends(const SampleSlice& slice, const StackFrame& frame) {
  SideEnds ends;
  if (slice.range.cells() == 0) return ends;
  for (const double x : {slice.range.x.begin, slice.range.x.end})
    for (const double y : {slice.range.y.begin, slice.range.y.end})
      ends.add(frame.to_pixel({x, y, slice.z + 0.5}));
  return ends;
}

/// Returns the ends over all slices.
SideEnds side_ends(const SampleSlices& slices, const StackFrame& frame) {
  SideEnds ends;
  for (const SampleSlice& slice : slices.slices) {
    const SideEnds some = side_ends(slice, frame);
    ends.add(some.left);
    ends.add(some.right);
  }
  return ends;
}

}  // namespace

std::vector<SliceLabel> MethodView::stack_labels(const PixelRegion& region, const MethodLook& look,
                                                 float scale) const {
  std::vector<SliceLabel> labels;
  const StackFrame frame(fitted_box(slices_, look.full_share), look.camera, region.size);
  const glm::vec2 corner(region.corner);
  if (has_room_for_triad(region.size, scale))
    for (const SceneLabel& letter :
         axes_triad(frame.perspective(), scale, SceneFrame(), {look.axes, ""}).letters)
      labels.push_back({letter.text,
                        {glm::vec2(letter.pixel) + corner, 0.5F - 0.5F * glm::vec2(letter.aside)},
                        letter.color});
  if (slices_.slices.empty()) return labels;
  const SideEnds all = side_ends(slices_, frame);
  const std::size_t last = slices_.slices.size() - 1, chosen = chosen_slice(slices_, look);
  std::vector<double> heights;  // of the labels so far, which others must not cover
  const auto add = [&](std::size_t index) {
    const SampleSlice& slice = slices_.slices[index];
    const SideEnds ends = side_ends(slice, frame);
    if (!ends.right || !ends.left) return;
    for (const double height : heights)
      if (std::abs(height - ends.right->y) < 0.4 * kApart * scale) return;
    heights.push_back(ends.right->y);
    // In a column at either side of the kernel; if neither has room, close to the slice.
    const auto right = [&](double x) {
      return TextPlace{glm::vec2(x + kGap * scale, ends.right->y) + corner, {0, 0.5F}};
    };
    const auto left = [&](double x) {
      return TextPlace{glm::vec2(x - kGap * scale, ends.left->y) + corner, {1, 0.5F}};
    };
    labels.push_back({.text = fmt::format("z = {}", slice.z),
                      .place = right(all.right->x),
                      .elsewhere = {left(all.left->x), right(ends.right->x), left(ends.left->x)},
                      .over_lines = true});
  };
  add(chosen);
  if (chosen != 0) add(0);
  if (chosen != last) add(last);
  return labels;
}

std::vector<SliceLabel> MethodView::face_labels(const PixelRegion& region, const MethodLook& look,
                                                float scale) const {
  std::vector<SliceLabel> labels;
  if (slices_.slices.empty() || slices_.bounds.cells() == 0) {
    labels.push_back({"the kernel reaches no cell",
                      {glm::vec2(region.corner) + 0.5F * glm::vec2(region.size), {0.5F, 0.5F}}});
    return labels;
  }
  const FaceFrame frame(fitted_box(slices_, look.full_share), region.size, scale);
  const SampleSlice& slice = slices_.slices[chosen_slice(slices_, look)];
  const glm::vec2 corner(region.corner);
  const float gap = kGap * scale;
  const auto at = [&](double x, double y) { return glm::vec2(frame.to_pixel({x, y})) + corner; };
  labels.push_back({fmt::format("z = {}", slice.z), {corner + gap, {0, 0}}});
  const auto [x, y] = slice.range;
  const double apart = kApart * scale / frame.pixels_per_cell();
  const auto number = [&](const std::string& text, glm::vec2 pixel, glm::vec2 anchor) {
    labels.push_back({.text = text, .place = {pixel, anchor}, .over_lines = true});
  };
  // Low enough to clear the lowest number at the range's left.
  const float below = gap + kHalfLetter * scale;
  for (const auto& [text, cell] : range_texts(x, apart))
    number(text, at(cell, y.begin) + glm::vec2(0, below), {0.5F, 0});
  for (const auto& [text, cell] : range_texts(y, 0.5 * apart))
    number(text, at(x.begin, cell) - glm::vec2(gap, 0), {1, 0.5F});
  const CellBox fitted = fitted_box(slices_, look.full_share);
  const glm::vec2 x_end = at(fitted.upper.x, fitted.lower.y),
                  y_end = at(fitted.lower.x, fitted.upper.y);
  labels.push_back(
      {.text = look.axes[0],
       .place = {x_end + glm::vec2(gap, gap), {0, 0}},
       .elsewhere = {{x_end + glm::vec2(gap, -gap), {0, 1}}, {x_end + glm::vec2(0, gap), {1, 0}}}});
  labels.push_back(
      {.text = look.axes[1],
       .place = {y_end - glm::vec2(gap, gap), {1, 1}},
       .elsewhere = {{y_end + glm::vec2(-gap, gap), {1, 0}}, {y_end - glm::vec2(0, gap), {0, 1}}}});
  return labels;
}

}  // namespace skde::view
