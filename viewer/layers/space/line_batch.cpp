#include "viewer/layers/space/line_batch.hpp"

#include <cstddef>
#include <span>

#include "viewer/layers/space/camera.hpp"

namespace skde::view {

DrawState::DrawState(bool tests_depth, bool writes_depth) {
  glEnable(GL_BLEND);
  glBlendFuncSeparate(GL_SRC_ALPHA, GL_ONE_MINUS_SRC_ALPHA, GL_ONE, GL_ONE_MINUS_SRC_ALPHA);
  glDepthFunc(GL_LEQUAL);
  glDepthMask(writes_depth ? GL_TRUE : GL_FALSE);
  tests_depth ? glEnable(GL_DEPTH_TEST) : glDisable(GL_DEPTH_TEST);
}

DrawState::~DrawState() {
  glDisable(GL_BLEND);
  glDisable(GL_DEPTH_TEST);
  glDisable(GL_SCISSOR_TEST);
  glDepthMask(GL_TRUE);
}

void DrawState::clip(const PixelRegion& region, glm::ivec2 target) {
  glEnable(GL_SCISSOR_TEST);
  // OpenGL's rows grow upwards.
  glScissor(region.corner.x, target.y - region.corner.y - region.size.y, region.size.x,
            region.size.y);
}

LineBatch::LineBatch() {
  const auto attribute = [this](GLuint index, GLint floats, std::size_t offset) {
    vertices_.attribute(index, buffer_, floats, sizeof(LineSegment), static_cast<GLuint>(offset));
    glVertexArrayBindingDivisor(vertices_.id(), index, 1);
  };
  attribute(0, 4, offsetof(LineSegment, from));  // `from`, followed by the width
  attribute(1, 3, offsetof(LineSegment, to));
  attribute(2, 4, offsetof(LineSegment, color));
}

void LineBatch::draw(const std::vector<LineSegment>& segments, const glm::mat4& transform,
                     glm::ivec2 viewport, float pixel_scale) {
  if (segments.empty()) return;
  buffer_.assign(std::span(segments), GL_STREAM_DRAW);
  program_.use();
  program_.set("transform", transform);
  program_.set("viewport", glm::vec2(viewport));
  program_.set("pixel_scale", pixel_scale);
  vertices_.bind();
  glDrawArraysInstanced(GL_TRIANGLES, 0, 6, static_cast<GLsizei>(segments.size()));
}

}  // namespace skde::view
