#pragma once

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/space/scene_frame.hpp"
#include "viewer/layers/volume/look_texture.hpp"
#include "viewer/layers/volume/sections.hpp"
#include "viewer/layers/volume/volume_texture.hpp"

namespace skde::view {

/// Draws sections of a volume, opaque, with the colours of its values.
class SectionPlanes {
 public:
  /// Draws the section across an axis through `at` (world units), less what the look's clip cuts
  /// away. `transform` maps scene units to clip coordinates. Blending and depth are as set.
  void draw(const VolumeTexture& volume, const SceneFrame& frame, const VolumeLook& look, int axis,
            Vec3 at, bool smooth, const glm::mat4& transform);

 private:
  gl::ShaderProgram program_{"section_plane.vert", "section_plane.frag"};
  gl::VertexArray no_vertices_;
  LookTexture colors_;
};

}  // namespace skde::view
