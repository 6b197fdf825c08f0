#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "core/cloud/samples.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/method/method_picture.hpp"
#include "viewer/layers/space/line_batch.hpp"

namespace skde {

struct DensityFacts;

}  // namespace skde

namespace skde::view {

/// Draws flat shapes on the graphics card.
class ShapeBatch {
 public:
  ShapeBatch();
  /// Draws the shapes over what the target shows.
  void draw(const ShapeList& shapes, const gl::Framebuffer& target);

 private:
  void draw_quads(const std::vector<FilledQuad>& quads, const glm::mat4& transform);
  void draw_lines(const std::vector<PolyLine>& lines, const glm::mat4& transform, glm::ivec2 size);

  gl::ShaderProgram program_{"flat_shape.vert", "flat_shape.frag"};
  gl::Buffer buffer_;
  gl::VertexArray vertices_;
  LineBatch lines_;
};

/// How sample-wise estimation processes a sample: see method_picture.hpp.
class MethodLayer {
 public:
  /// Shows the slices of a sample, or nothing.
  void show(std::shared_ptr<const SampleSlices> slices);
  /// Shows the slices of this sample of a density, unless they are shown already.
  void follow(const DensityFacts& facts, const SamplesView& samples, std::size_t sample);
  /// Returns the slices that are shown; null if there are none.
  const SampleSlices* slices() const { return slices_.get(); }

  /// Draws the method in a region of the target; `scale` is that of the display.
  void draw(const gl::Framebuffer& target, const PixelRegion& region, const MethodLook& look,
            float scale = 1);
  /// Texts of the last picture, in pixels of its target.
  const std::vector<SliceLabel>& labels() const { return labels_; }

 private:
  std::shared_ptr<const SampleSlices> slices_;
  std::size_t slices_of_ = 0;  ///< sample
  ShapeBatch batch_;
  std::vector<SliceLabel> labels_;
};

}  // namespace skde::view
