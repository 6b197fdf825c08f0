#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "core/cloud/samples.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/space/camera.hpp"
#include "viewer/layers/space/clip.hpp"
#include "viewer/layers/volume/look_texture.hpp"
#include "viewer/layers/volume/volume_texture.hpp"

namespace skde::view {

/// How places in the scene become pixels.
struct PointProjection {
  glm::mat4 transform;   ///< from scene units to clip coordinates
  double pixels_at_one;  ///< of a scene unit where the last clip coordinate is 1
};
inline PointProjection seen_by(const Perspective& perspective) {
  return {perspective.transform(), perspective.pixels_at(1)};
}

/// How discs look.
struct PointStyle {
  glm::vec4 color, rim;
  float rim_share;      ///< of the radius
  glm::vec2 diameters;  ///< the least and the most, in pixels
  float size = 1;       ///< relative to what suits their number
  bool colors_by_density = false, sizes_by_density = false;  ///< of the place of each
};

/// The density that colours and sizes of discs may tell.
struct DensityColors {
  const VolumeTexture& volume;
  const LookTexture& colors;
};

/// Draws the samples as discs, which are smaller at a distance.
class PointLayer {
 public:
  static constexpr std::size_t kMostPoints = 2'000'000;

  /// Copies the samples; if there are more than kMostPoints, an even selection of that many.
  /// `colors` (sRGB) are those of the samples, or empty. So are `sizes`, from 0 for kLeastDiameter
  /// to 1 for kMostDiameter.
  void assign(const SamplesView& points, std::span<const glm::vec3> colors = {},
              std::span<const float> sizes = {});
  std::size_t shown() const { return shown_.size(); }
  /// Draws the discs that the clip keeps. Without a density, no style may tell it.
  void draw(const SceneFrame& frame, const PointProjection& projection, const Clip& clip,
            const PointStyle& style, const DensityColors* density = nullptr);
  /// Highlights one sample.
  void draw_picked(glm::dvec3 scene, const Perspective& perspective, float pixel_scale);

 private:
  void place(const SceneFrame& frame);
  void set_style(const PointStyle& style) const;
  void draw_points(const gl::VertexArray& vertices, std::size_t count,
                   const glm::mat4& transform) const;

  gl::ShaderProgram program_{"point.vert", "point.frag"};
  gl::Buffer buffer_, color_buffer_, size_buffer_, picked_buffer_;
  gl::VertexArray vertices_, picked_vertices_;
  std::vector<Vec3> shown_;
  std::vector<glm::vec3> colors_;
  std::vector<float> sizes_;
  std::optional<SceneFrame> placed_;  ///< frame of the positions in the buffer
  float diameter_ = 0.01F;            ///< in scene units
};

/// Returns the sample whose image is nearest to a pixel of the part and at most `within` pixels (at
/// scale 1) away, among those that the clip keeps; none if there is no such sample.
std::optional<std::size_t> pick_sample(const SamplesView& points, const ScenePart& part,
                                       glm::dvec2 pixel, double within, const Clip& clip = {});

}  // namespace skde::view
