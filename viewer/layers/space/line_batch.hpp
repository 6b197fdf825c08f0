#pragma once

#include <glm/glm.hpp>
#include <vector>

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"

namespace skde::view {

struct PixelRegion;

/// Sets blending and depth tests; resets them, and the region of clip(), in the destructor.
class DrawState {
 public:
  explicit DrawState(bool tests_depth = false, bool writes_depth = false);
  ~DrawState();
  DrawState(const DrawState&) = delete;
  DrawState& operator=(const DrawState&) = delete;

  /// Cuts what is drawn off at the edges of a region of a target of this size.
  static void clip(const PixelRegion& region, glm::ivec2 target);
};

/// A straight line with a width in pixels.
struct LineSegment {
  glm::vec3 from;
  float width = 1;
  glm::vec3 to;
  glm::vec4 color{1};
};

/// Draws lines with smooth edges.
class LineBatch {
 public:
  LineBatch();
  /// Draws the lines. `transform` maps places to clip coordinates; `pixel_scale` widens all lines.
  /// Depth is tested and written according to the current state.
  void draw(const std::vector<LineSegment>& segments, const glm::mat4& transform,
            glm::ivec2 viewport, float pixel_scale);

 private:
  gl::ShaderProgram program_{"line.vert", "line.frag"};
  gl::Buffer buffer_;
  gl::VertexArray vertices_;
};

}  // namespace skde::view
