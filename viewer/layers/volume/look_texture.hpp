#pragma once

#include <vector>

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/volume/volume_look.hpp"

namespace skde::view {

/// Returns the colour between entries of a table at a share of it, 0..1.
glm::vec4 color_at(const std::vector<glm::vec4>& colors, double share);

/// The colours and opacities of a look as a 1-D texture over its axis. A texel holds an sRGB colour
/// and -log2 of the transmittance of a layer of 1/100 of the box's diagonal.
class LookTexture {
 public:
  static constexpr int kTexels = 1024;

  /// Does nothing if colours and axis are those of the last update.
  void update(const VolumeLook& look);
  const gl::Texture& texture() const { return texture_; }
  /// Sums over the texels before each one, kTexels + 1 pairs: how many are not fully transparent,
  /// and how much the layer's opacity and its colour times the opacity change from texel to texel.
  const gl::Buffer& sums_before() const { return sums_before_; }
  /// Sets the uniforms of value_axis.glsl, which map values to the texture. Values are multiples of
  /// `unit`.
  void set_axis(const gl::ShaderProgram& program, double unit) const;

 private:
  std::vector<glm::vec4> colors_;
  ValueAxis axis_;
  gl::Texture texture_{GL_RGBA16F, kTexels};
  gl::Buffer sums_before_;
};

}  // namespace skde::view
