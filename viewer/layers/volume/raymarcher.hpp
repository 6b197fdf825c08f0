#pragma once

#include <optional>
#include <span>
#include <vector>

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/space/camera.hpp"
#include "viewer/layers/space/scene_frame.hpp"
#include "viewer/layers/volume/volume_look.hpp"
#include "viewer/layers/volume/volume_texture.hpp"

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
  /// The inputs of the last distances. Version 0: there are no distances yet.
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

/// What a ray march may omit.
struct MarchOptions {
  double resolution = 1;   ///< rays along each side, as a share of the picture's pixels
  bool skip_empty = true;  ///< whether to leap over bricks that the look makes invisible
};

/// A pixel where a surface reaches furthest in a direction, and by how many pixels others reach
/// further.
struct FarPixel {
  glm::dvec2 pixel;
  double beyond;
};

/// How a volume is seen, and where it is drawn.
struct MarchView {
  const SceneFrame& frame;  ///< through whose box rays are traced
  const Perspective& perspective;
  const VolumeLook& look;
  const gl::Framebuffer& target;  ///< up to the depths that it has already
};

/// Draws a volume by compute shaders that trace a ray per pixel.
class Raymarcher {
 public:
  /// Traces the rays. `bricks` are those of the volume.
  void march(const VolumeTexture& volume, const BrickGrid& bricks, const MarchView& view,
             const MarchOptions& options);
  /// Returns the place, in texture coordinates, that the last march shows at a pixel of the target
  /// (y downwards): on the outermost surface in isosurface mode, else where the ray's value is
  /// greatest. None if the ray meets nothing. The arguments are those of the last march.
  std::optional<glm::dvec3> place_at(const VolumeTexture& volume, const MarchView& view,
                                     glm::dvec2 pixel);
  /// Returns where each surface of the look reaches furthest on the target (y downwards), each in
  /// its own direction of length 1; none for those that no ray meets. The other arguments are those
  /// of the last march.
  std::vector<std::optional<FarPixel>> far_pixels(const VolumeTexture& volume,
                                                  const MarchView& view,
                                                  std::span<const glm::dvec2> ways);
  /// Blends the result over the target's colours.
  void draw_over(const gl::Framebuffer& target) const;
  /// Returns the card's time for the last march that it has finished; 0 before the first.
  double seconds() {
    timer_.read();
    return timer_.seconds();
  }

 private:
  const gl::ShaderProgram& prepared_program(const VolumeLook& look, double unit);
  void prepare(const gl::ShaderProgram& program, const VolumeTexture& volume,
               const MarchView& view) const;

  struct Marches {
    gl::ShaderProgram composite{"raymarch_composite.comp"}, shaded{"raymarch_shaded.comp"};
    gl::ShaderProgram maximum{"raymarch_maximum.comp"}, isosurface{"raymarch_isosurface.comp"};
    gl::ShaderProgram nested{"raymarch_nested.comp"};
  } marches_;
  gl::ShaderProgram overlay_{"overlay.comp"};
  gl::ShaderProgram probe_{"probe.comp"}, far_pixels_{"far_pixels.comp"};
  gl::Buffer found_;
  gl::Texture picture_;
  LookTexture colors_;
  SkipMap skip_map_;
  gl::DeviceTimer timer_;
};

}  // namespace skde::view
