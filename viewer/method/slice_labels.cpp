// The labels of MethodView, which the panels write.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "viewer/method/slice_view.hpp"
#include "viewer/scene/scene_overlay.hpp"

namespace skde::view {
namespace {

constexpr float kGap = 6;      // pixels between a text and what it is about
constexpr double kApart = 44;  // pixels between two texts beside each other, at least

/// The first and the last cell of a range and where their texts go; one text for both where these
/// would be less than `apart` cells from each other.
std::vector<std::pair<std::string, double>> range_texts(IndexRange range, double apart) {
  if (range.empty()) return {};
  const std::string first = fmt::format("{}", range.begin), last = fmt::format("{}", range.end - 1);
  if (range.size() == 1) return {{first, range.begin + 0.5}};
  if (range.size() - 1 < apart)
    return {{fmt::format("{}..{}", first, last), 0.5 * (range.begin + range.end)}};
  return {{first, range.begin + 0.5}, {last, range.end - 0.5}};
}

}  // namespace

std::vector<SliceLabel> MethodView::stack_labels(const PixelRegion& region, const MethodLook& look,
                                                 float scale) const {
  std::vector<SliceLabel> labels;
  const StackFrame frame(fitted_box(slices_, look.full_share), look.camera, region.size);
  for (const SceneLabel& letter : axes_triad(frame.perspective(), scale).letters)
    labels.push_back({letter.text,
                      glm::vec2(letter.pixel) + glm::vec2(region.corner),
                      {0.5F, 0.5F},
                      letter.color});
  if (slices_.slices.empty()) return labels;
  const std::size_t last = slices_.slices.size() - 1, chosen = chosen_slice(slices_, look);
  std::vector<double> heights;  // of the labels so far, which no other shall cover
  const auto add = [&](std::size_t index) {
    // The corner of the cropped range that is farthest to the right.
    const SampleSlice& slice = slices_.slices[index];
    if (slice.range.cells() == 0) return;
    std::optional<glm::dvec2> best;
    for (const double x : {slice.range.x.begin, slice.range.x.end})
      for (const double y : {slice.range.y.begin, slice.range.y.end}) {
        const auto pixel = frame.to_pixel({x, y, slice.z + 0.5});
        if (pixel && (!best || pixel->x > best->x)) best = pixel;
      }
    if (!best) return;
    for (const double height : heights)
      if (std::abs(height - best->y) < 0.4 * kApart * scale) return;
    heights.push_back(best->y);
    const glm::vec2 pixel =
        glm::vec2(*best) + glm::vec2(region.corner) + glm::vec2(kGap * scale, 0);
    labels.push_back({fmt::format("z = {}", slice.z), pixel, {0, 0.5F}});
  };
  add(chosen);
  if (chosen != 0) add(0);
  if (chosen != last) add(last);
  return labels;
}

std::vector<SliceLabel> MethodView::face_labels(const PixelRegion& region, const MethodLook& look,
                                                float scale) const {
  std::vector<SliceLabel> labels;
  if (slices_.slices.empty()) return labels;
  const FaceFrame frame(fitted_box(slices_, look.full_share), region.size, scale);
  const SampleSlice& slice = slices_.slices[chosen_slice(slices_, look)];
  const glm::vec2 corner(region.corner);
  const float gap = kGap * scale;
  const auto at = [&](double x, double y) { return glm::vec2(frame.to_pixel({x, y})) + corner; };
  labels.push_back({fmt::format("z = {}", slice.z), corner + gap, {0, 0}});
  const auto [x, y] = slice.range;
  const double apart = kApart * scale / frame.pixels_per_cell();
  for (const auto& [text, cell] : range_texts(x, apart))
    labels.push_back({text, at(cell, y.begin) + glm::vec2(0, gap), {0.5F, 0}});
  for (const auto& [text, cell] : range_texts(y, 0.5 * apart))
    labels.push_back({text, at(x.begin, cell) - glm::vec2(gap, 0), {1, 0.5F}});
  const CellBox fitted = fitted_box(slices_, look.full_share);
  labels.push_back({"x", at(fitted.upper.x, fitted.lower.y) + glm::vec2(gap, gap), {0, 0}});
  labels.push_back({"y", at(fitted.lower.x, fitted.upper.y) - glm::vec2(gap, gap), {1, 1}});
  return labels;
}

}  // namespace skde::view
