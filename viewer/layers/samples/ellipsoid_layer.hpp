#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/cloud/samples.hpp"
#include "pictures/color_map.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/space/clip.hpp"
#include "viewer/layers/space/scene_ellipsoid.hpp"
#include "viewer/layers/space/value_axis.hpp"

namespace skde::view {

/// Returns the axis of colours for the masses of members: logarithmic, over four decades at most,
/// if they differ by more than a factor of 10.
ValueAxis mass_axis(const SamplesView& members);
/// Returns the colour map of masses beside a volume in another one.
ColorMap mass_colors(ColorMap volume);

/// Draws the members of a mixture as ellipsoids at one deviation, coloured by mass: a quad each,
/// whose fragments trace their rays.
class EllipsoidLayer {
 public:
  static constexpr std::size_t kMostShown = std::size_t{1} << 20;

  /// Takes members with shapes, which must stay in memory; an even selection if there are more than
  /// kMostShown.
  void assign(const SamplesView& members);
  /// All members, the ones that are not drawn too.
  const SamplesView& members() const { return members_; }
  const ValueAxis& masses() const { return masses_; }

  /// Draws the ellipsoids whose centres the clip keeps, with a depth test, and writes their depths.
  void draw(const SceneFrame& frame, const Perspective& perspective, const Clip& clip,
            ColorMap colors);
  /// Returns the member whose ellipsoid is the first on the ray through a pixel; else the one whose
  /// centre is nearest and at most `within` pixels away, for ellipsoids smaller than a pixel.
  /// Members whose centres are cut away are passed over.
  std::optional<std::size_t> pick(const SceneFrame& frame, const Perspective& perspective,
                                  glm::dvec2 pixel, double within, const Clip& clip = {}) const;

 private:
  /// A vertex attribute of each member.
  struct Instance {
    glm::vec3 centre, color, arms[3];
  };
  std::size_t shown() const { return std::min(members_.size(), kMostShown); }
  std::size_t index_of(std::size_t shown_one) const {
    return shown_one * members_.size() / shown();
  }
  SceneEllipsoid ellipsoid(std::size_t shown_one, const SceneFrame& frame) const;
  void place(const SceneFrame& frame, ColorMap colors);

  gl::ShaderProgram program_{"ellipsoid.vert", "ellipsoid.frag"};
  gl::Buffer buffer_;
  gl::VertexArray vertices_;
  SamplesView members_;
  ValueAxis masses_;
  std::optional<SceneFrame> placed_;  ///< frame of what the buffer holds
  ColorMap colors_{};                 ///< colours of what the buffer holds
};

}  // namespace skde::view
