#include "viewer/layers/method/method_layer.hpp"

#include <span>
#include <utility>

#include "core/kernel/sample_shapes.hpp"
#include "estimate/values/density_facts.hpp"
#include "viewer/layers/method/sample_slices.hpp"

namespace skde::view {
namespace {

struct Corner {
  glm::vec2 pixel;
  glm::vec4 color;
};

/// Returns the matrix from pixels of a picture to clip coordinates.
glm::mat4 from_pixels(glm::ivec2 size) {
  glm::mat4 matrix(1);
  matrix[0][0] = 2.0F / static_cast<float>(size.x);
  matrix[1][1] = -2.0F / static_cast<float>(size.y);
  matrix[3] = glm::vec4(-1, 1, 0, 1);
  return matrix;
}

}  // namespace

void MethodLayer::show(std::shared_ptr<const SampleSlices> slices) {
  slices_ = std::move(slices);
  if (!slices_) labels_.clear();
}

void MethodLayer::follow(const DensityFacts& facts, const SamplesView& samples,
                         std::size_t sample) {
  if (slices_ && slices_of_ == sample) return;
  const SampleShape shape =
      SampleShapes(facts.kernel, facts.grid, facts.min_width).of(samples, sample);
  SampleSlices slices = slice_sample(shape.ellipsoid, facts.grid, samples.point(sample));
  slices.function = facts.kernel.function;
  slices.cut = facts.kernel.cut();
  show(std::make_shared<const SampleSlices>(std::move(slices)));
  slices_of_ = sample;
}

void MethodLayer::draw(const gl::Framebuffer& target, const PixelRegion& region,
                       const MethodLook& look, float scale) {
  if (!slices_) return;
  MethodPicture picture = method_picture(*slices_, region, look, scale);
  batch_.draw(picture.shapes, target);
  labels_ = std::move(picture.labels);
}

ShapeBatch::ShapeBatch() {
  vertices_.attribute(0, buffer_, 2, sizeof(Corner), offsetof(Corner, pixel));
  vertices_.attribute(1, buffer_, 4, sizeof(Corner), offsetof(Corner, color));
}

void ShapeBatch::draw(const ShapeList& shapes, const gl::Framebuffer& target) {
  target.bind();
  const glm::mat4 transform = from_pixels(target.size());
  const DrawState drawing;
  for (const ShapeLayer& layer : shapes) {
    if (layer.region.size.x <= 0 || layer.region.size.y <= 0) continue;
    DrawState::clip(layer.region, target.size());
    draw_quads(layer.quads, transform);
    draw_lines(layer.lines, transform, target.size());
  }
}

void ShapeBatch::draw_quads(const std::vector<FilledQuad>& quads, const glm::mat4& transform) {
  if (quads.empty()) return;
  std::vector<Corner> corners;
  corners.reserve(6 * quads.size());
  for (const FilledQuad& quad : quads)
    for (const std::size_t i : {0, 1, 2, 0, 2, 3}) corners.push_back({quad.corners[i], quad.color});
  buffer_.assign(std::span<const Corner>(corners), GL_STREAM_DRAW);
  program_.use();
  program_.set("transform", transform);
  vertices_.bind();
  glDrawArrays(GL_TRIANGLES, 0, static_cast<GLsizei>(corners.size()));
}

void ShapeBatch::draw_lines(const std::vector<PolyLine>& lines, const glm::mat4& transform,
                            glm::ivec2 size) {
  std::vector<LineSegment> segments;
  for (const PolyLine& line : lines)
    for (std::size_t k = 1; k < line.places.size(); ++k)
      segments.push_back(
          {glm::vec3(line.places[k - 1], 0), line.width, glm::vec3(line.places[k], 0), line.color});
  lines_.draw(segments, transform, size, 1);
}

}  // namespace skde::view
