#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/mixture/mixture.hpp"
#include "pictures/color_map.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/space/camera.hpp"
#include "viewer/layers/space/readout_line.hpp"
#include "viewer/layers/space/scene_frame.hpp"
#include "viewer/layers/space/scene_overlay.hpp"
#include "viewer/layers/volume/volume_look.hpp"

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

  /// Takes samples, which must stay in memory: they are the members if they have shapes, unless a
  /// mixture was fitted. An even selection is drawn if there are more than kMostShown.
  void take(const SamplesView& samples);
  /// Shows the members of a mixture that was fitted to the density, until forget_fitted().
  void show_fitted(Mixture mixture);
  void forget_fitted();
  /// Returns true if the members are the samples, with the same indices.
  bool are_samples() const { return !fitted_ && members_.size() > 0; }
  /// Returns how members are shown: as wanted, if there are any.
  EllipsoidsShown shown_as(EllipsoidsShown wanted) const {
    return members_.size() > 0 ? wanted : EllipsoidsShown::off;
  }
  /// All members, the ones that are not drawn too.
  const SamplesView& members() const { return members_; }
  const ValueAxis& masses() const { return masses_; }

  /// Draws the ellipsoids whose centres the clip keeps, with a depth test, and writes their depths.
  void draw(const SceneFrame& frame, const Perspective& perspective, const Clip& clip,
            ColorMap colors);
  /// Returns the member whose ellipsoid is the first on the ray through a pixel of the part; else
  /// the one whose centre is nearest and a few pixels away, for ellipsoids smaller than a pixel.
  /// Members whose centres are cut away are passed over.
  std::optional<std::size_t> pick(const ScenePart& part, glm::dvec2 pixel,
                                  const Clip& clip = {}) const;

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
  void assign(const SamplesView& members);
  void place(const SceneFrame& frame, ColorMap colors);

  gl::ShaderProgram program_{"ellipsoid.vert", "ellipsoid.frag"};
  gl::Buffer buffer_;
  gl::VertexArray vertices_;
  SamplesView samples_, members_;
  std::optional<Mixture> fitted_;
  ValueAxis masses_;
  std::optional<SceneFrame> placed_;  ///< frame of what the buffer holds
  ColorMap colors_{};                 ///< colours of what the buffer holds
};

/// Returns the numbers of a member of a mixture, in world units: its index from 0, mass, mean, the
/// deviations along its axes with their directions, the longest first, and its covariance.
std::vector<ReadoutLine> member_readout(const SamplesView& members, std::size_t index);

}  // namespace skde::view
