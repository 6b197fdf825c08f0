#pragma once

#include <array>

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/space/camera.hpp"
#include "viewer/layers/volume/look_texture.hpp"
#include "viewer/layers/volume/sections.hpp"
#include "viewer/layers/volume/volume_layer.hpp"

namespace skde::view {

/// Where the sections meet.
struct SectionReading {
  Vec3 at{};
  std::array<std::int64_t, 3> cell{};
  double density = 0;  ///< of this cell
};

/// Sections of a volume, opaque, with the colours of its values.
class SectionLayer {
 public:
  /// Draws the section across an axis through `at` (world units), less what the look's clip cuts
  /// away. `transform` maps scene units to clip coordinates. Blending and depth are as set.
  void draw(const VolumeTexture& volume, const SceneFrame& frame, const VolumeLook& look, int axis,
            Vec3 at, bool smooth, const glm::mat4& transform);
  /// Returns the cell of a density's grid where the sections through a place meet, and its density.
  const SectionReading& read(const VolumeLayer& volume, const Grid& grid, Vec3 at);

 private:
  gl::ShaderProgram program_{"section_plane.vert", "section_plane.frag"};
  gl::VertexArray no_vertices_;
  LookTexture colors_;
  SectionReading reading_;
  int reading_of_ = 0;  ///< version of the volume that was read
};

/// Returns where the ray of a part's pixel first meets a section through `at` in a box.
std::optional<Vec3> section_place_at(const ScenePart& part, glm::dvec2 pixel, const Box& box,
                                     Vec3 at, const Clip& clip);

}  // namespace skde::view
