#pragma once

#include <array>
#include <glm/glm.hpp>
#include <vector>

namespace skde::view {

/// A part of a picture in pixels, rightwards and downwards from its upper left corner.
struct PixelRegion {
  glm::ivec2 corner{0}, size{0};  ///< upper left, and width and height

  bool holds(glm::dvec2 pixel) const {
    return pixel.x >= corner.x && pixel.y >= corner.y && pixel.x < corner.x + size.x &&
           pixel.y < corner.y + size.y;
  }
};

/// A filled shape of four corners, in pixels. Two of them may be the same.
struct FilledQuad {
  std::array<glm::vec2, 4> corners;
  glm::vec4 color;
};

/// A line through places, in pixels.
struct PolyLine {
  std::vector<glm::vec2> places;
  float width;  ///< pixels
  glm::vec4 color;
};

/// Shapes that are drawn together: the lines over the quads, cut off at the edges of a region.
struct ShapeLayer {
  PixelRegion region;
  std::vector<FilledQuad> quads;
  std::vector<PolyLine> lines;
};

/// A flat picture, which the graphics card or a document draws: each layer covers those before it.
using ShapeList = std::vector<ShapeLayer>;

}  // namespace skde::view
