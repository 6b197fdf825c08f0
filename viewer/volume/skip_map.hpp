#pragma once

#include <vector>

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/volume/brick_grid.hpp"
#include "viewer/volume/look_texture.hpp"
#include "viewer/volume/volume_look.hpp"

namespace skde::view {

/// How far a ray may leap from each brick: 0 where the brick may be seen under the look, else the
/// number of bricks to the nearest that may, counted along the axis in which it is farthest
/// (Deakin and Knoll, Accelerated volume rendering with Chebyshev distance maps, 2019).
class SkipMap {
 public:
  /// Does nothing where bricks and look are as they were. `unit`: VolumeTexture::unit().
  void update(const BrickGrid& bricks, const LookTexture& colors, const VolumeLook& look,
              double unit);
  /// Looks everywhere: no brick is passed over.
  void clear(const BrickGrid& bricks);
  const gl::Texture& distances() const { return distances_; }

 private:
  /// What the distances follow from; version 0 for none.
  struct State {
    int version = 0;
    RenderMode mode{};
    double isovalue = 0;
    ValueAxis axis;
    std::vector<glm::vec4> colors;
    friend bool operator==(const State&, const State&) = default;
  };

  void resize(glm::ivec3 bricks);

  gl::ShaderProgram occupancy_program_{"brick_occupancy.comp"};
  gl::ShaderProgram distance_program_{"brick_distance.comp"};
  gl::Texture distances_, other_;
  State state_;
};

}  // namespace skde::view
