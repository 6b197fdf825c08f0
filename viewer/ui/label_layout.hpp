#pragma once

#include <functional>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include "viewer/layers/method/method_picture.hpp"
#include "viewer/layers/space/scene_overlay.hpp"

namespace skde::view::ui {

/// A rectangle of pixels.
struct TextBox {
  glm::dvec2 lower{0}, upper{0};
  bool meets(const TextBox& other) const;
  bool meets(const PixelLine& line) const;
};

/// A label with its place.
template <class Label>
struct Placed {
  const Label* label = nullptr;
  TextBox box;
  std::string text{};  ///< the label's text, or a shorter version
};
using PlacedLabel = Placed<SceneLabel>;
using PlacedSliceLabel = Placed<SliceLabel>;

using TextMeasure = std::function<glm::dvec2(const std::string&)>;

/// Finds places for labels on a picture of `size` pixels. No label is cut off by an edge, crosses
/// one of the lines or covers another label. Ticks without room are left out. A caption moves along
/// its axis and away from it, becomes shorter, and replaces ticks if necessary. `measure` returns
/// the size of a text.
std::vector<PlacedLabel> place_labels(std::span<const SceneLabel> labels,
                                      std::span<const PixelLine> lines, glm::dvec2 size,
                                      const TextMeasure& measure);

/// Finds places for the labels of the method view in a region of a picture. No label is cut off by
/// the edges of its room or of the region, or covers an earlier one.
std::vector<PlacedSliceLabel> place_labels(std::span<const SliceLabel> labels,
                                           const PixelRegion& region, const TextMeasure& measure);

}  // namespace skde::view::ui
