#pragma once

#include <glm/glm.hpp>

#include "viewer/layers/space/camera.hpp"
#include "viewer/layers/space/scene_frame.hpp"

namespace skde::view {

/// A part of a picture in pixels, rightwards and downwards from its upper left corner.
struct PixelRegion {
  glm::ivec2 corner{0}, size{0};  ///< upper left, and width and height

  bool holds(glm::dvec2 pixel) const {
    return pixel.x >= corner.x && pixel.y >= corner.y && pixel.x < corner.x + size.x &&
           pixel.y < corner.y + size.y;
  }
};

/// A part of a picture that shows the scene.
struct ScenePart {
  PixelRegion region;
  SceneFrame frame;
  Perspective perspective;
  float scale;  ///< of the display

  /// Converts a pixel of the picture to one of the part.
  glm::dvec2 own(glm::dvec2 pixel) const { return pixel - glm::dvec2(region.corner); }
};

}  // namespace skde::view
