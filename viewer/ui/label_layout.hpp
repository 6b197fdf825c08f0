#pragma once

#include <functional>
#include <glm/glm.hpp>
#include <span>
#include <string>
#include <vector>

#include "viewer/method/slice_view.hpp"
#include "viewer/scene/scene_overlay.hpp"

namespace skde::view::ui {

/// A rectangle of pixels.
struct TextBox {
  glm::dvec2 lower{0}, upper{0};
  bool meets(const TextBox& other) const;
  bool meets(const PixelLine& line) const;
};

/// A label where it is written.
struct PlacedLabel {
  const SceneLabel* label = nullptr;
  TextBox box;
  std::string text{};  ///< that of the label, or one of its shorter ones
};

/// A label of the method where it is written.
struct PlacedSliceLabel {
  const SliceLabel* label = nullptr;
  TextBox box;
};

using TextMeasure = std::function<glm::dvec2(const std::string&)>;

/// Finds places for labels on a picture of that size: none is cut off by an edge, crosses one of
/// the lines or covers another label. Ticks for which there is no room are left out; a caption
/// moves along its axis and away from it, becomes shorter, and takes the place of ticks where it
/// must. `measure` tells the size of a text.
std::vector<PlacedLabel> place_labels(std::span<const SceneLabel> labels,
                                      std::span<const PixelLine> lines, glm::dvec2 size,
                                      const TextMeasure& measure);

/// The same for the labels of the method in a region of a picture: none is cut off by its edges or
/// covers one before it.
std::vector<PlacedSliceLabel> place_labels(std::span<const SliceLabel> labels,
                                           const PixelRegion& region, const TextMeasure& measure);

}  // namespace skde::view::ui
