#pragma once

#include <vector>

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/volume/brick_grid.hpp"
#include "viewer/layers/volume/look_texture.hpp"
#include "viewer/layers/volume/volume_look.hpp"

namespace skde::view {

/// How far a ray may leap from each brick. It is 0 if the brick may be visible under the look.
/// Otherwise it is the Chebyshev distance, in bricks, to the nearest brick that may be visible
/// (Deakin and Knoll, Accelerated volume rendering with Chebyshev distance maps, 2019). The two
/// highest bits tell how smooth the look of the brick and those around it is: samples may be 2^b
/// times as far apart as elsewhere.
class SkipMap {
 public:
  /// Does nothing if bricks, look and the rest are unchanged. `unit` is VolumeTexture::unit();
  /// `brick_layers` is the diagonal of a brick, in layers of VolumeLook::colors.
  void update(const BrickGrid& bricks, const LookTexture& colors, const VolumeLook& look,
              double unit, double brick_layers);
  /// Sets all distances to 0, so that no brick is skipped, and no brick is smooth.
  void clear(const BrickGrid& bricks);
  const gl::Texture& distances() const { return distances_; }

 private:
  /// What the distances depend on; version 0 stands for none.
  struct State {
    int version = 0;
    RenderMode mode{};
    double isovalue = 0;
    std::vector<double> surfaces;
    ValueAxis axis;
    std::vector<glm::vec4> colors;
    double brick_layers = 0;
    friend bool operator==(const State&, const State&) = default;
  };

  void resize(glm::ivec3 bricks);

  gl::ShaderProgram occupancy_program_{"brick_occupancy.comp"};
  gl::ShaderProgram distance_program_{"brick_distance.comp"};
  gl::Texture distances_, other_;
  State state_;
};

}  // namespace skde::view
