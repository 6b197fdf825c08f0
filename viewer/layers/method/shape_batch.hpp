#pragma once

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/method/shape_list.hpp"
#include "viewer/layers/space/line_batch.hpp"

namespace skde::view {

/// Draws flat shapes on the graphics card.
class ShapeBatch {
 public:
  /// Draws the shapes over what the target shows.
  void draw(const ShapeList& shapes, const gl::Framebuffer& target);

 private:
  void draw_quads(const std::vector<FilledQuad>& quads, const glm::mat4& transform);
  void draw_lines(const std::vector<PolyLine>& lines, const glm::mat4& transform, glm::ivec2 size);

  gl::ShaderProgram program_{"flat_shape.vert", "flat_shape.frag"};
  gl::Buffer buffer_;
  gl::VertexArray vertices_;
  bool described_ = false;
  LineBatch lines_;
};

}  // namespace skde::view
