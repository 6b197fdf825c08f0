#pragma once

#include <optional>
#include <span>

#include "viewer/layers/method/method_picture.hpp"

namespace skde::view {

/// Draws in a region of a picture, whose pixels it counts from the region's upper left corner.
class RegionPen {
 public:
  RegionPen(MethodPicture& to, const PixelRegion& region, float scale);

  const PixelRegion& region() const { return region_; }
  float scale() const { return scale_; }
  /// Covers what was drawn before by what follows; within a layer, lines lie over quads.
  void begin_layer();
  void quad(const std::array<glm::dvec2, 4>& corners, glm::vec4 color);
  void rectangle(glm::dvec2 lower, glm::dvec2 upper, glm::vec4 color);
  /// Draws a line of a width in pixels at scale 1.
  void line(std::span<const glm::dvec2> places, float width, glm::vec4 color);
  void line(glm::dvec2 from, glm::dvec2 to, float width, glm::vec4 color);
  /// Draws a filled disc with a rim.
  void disc(glm::dvec2 centre, double radius, glm::vec4 color, glm::vec4 rim);
  /// Adds a text, which must lie in the region; its places count from the region's corner.
  void label(SliceLabel label);

 private:
  MethodPicture& to_;
  PixelRegion region_;
  float scale_;
};

}  // namespace skde::view
