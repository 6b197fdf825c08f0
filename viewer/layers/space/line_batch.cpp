#include "viewer/layers/space/line_batch.hpp"

#include <cstddef>
#include <span>

namespace skde::view {

void LineBatch::draw(const std::vector<LineSegment>& segments, const glm::mat4& transform,
                     glm::ivec2 viewport, float pixel_scale) {
  if (segments.empty()) return;
  buffer_.assign(std::span(segments), GL_STREAM_DRAW);
  if (!described_) {
    const auto attribute = [this](GLuint index, GLint floats, std::size_t offset) {
      vertices_.attribute(index, buffer_, floats, sizeof(LineSegment), static_cast<GLuint>(offset));
      glVertexArrayBindingDivisor(vertices_.id(), index, 1);
    };
    attribute(0, 4, offsetof(LineSegment, from));  // `from`, followed by the width
    attribute(1, 3, offsetof(LineSegment, to));
    attribute(2, 4, offsetof(LineSegment, color));
    described_ = true;
  }
  program_.use();
  program_.set("transform", transform);
  program_.set("viewport", glm::vec2(viewport));
  program_.set("pixel_scale", pixel_scale);
  vertices_.bind();
  glDrawArraysInstanced(GL_TRIANGLES, 0, 6, static_cast<GLsizei>(segments.size()));
}

}  // namespace skde::view
