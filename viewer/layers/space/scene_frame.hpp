#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <glm/glm.hpp>
#include <optional>

#include "core/space/space.hpp"

namespace skde::view {

/// Ratio of the longest to the shortest edge of a box above which its axes count as unlike and are
/// stretched.
inline constexpr double kUnlikeEdges = 12;

/// Maps between world units and scene units. In scene units the box of a volume is centred on the
/// origin and its longest edge is 1, so that float can hold positions far from the world's origin.
class SceneFrame {
 public:
  SceneFrame() : SceneFrame(Box{{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}}) {}
  /// Lengths along the axes are drawn `factors` (above 0) times as long as otherwise. If
  /// `stretched`, every edge becomes 1, for axes of different units (degrees and kilometres). A
  /// flipped axis grows in the opposite direction, as depths do.
  explicit SceneFrame(const Box& box, bool stretched = false, std::array<bool, 3> flipped = {},
                      glm::dvec3 factors = glm::dvec3(1))
      : centre_(vector(box.centre())),
        edges_(vector(box.extent())),
        alike_(stretched ? edges_ : glm::dvec3(1)) {
    const double longest = std::max({edges_.x, edges_.y, edges_.z});
    unit_ = (stretched ? edges_ : glm::dvec3(longest)) / factors;
    const glm::dvec3 lengths = edges_ / unit_;
    unit_ *= std::max({lengths.x, lengths.y, lengths.z});
    for (int axis = 0; axis < 3; ++axis)
      if (flipped[static_cast<std::size_t>(axis)]) unit_[axis] = -unit_[axis];
  }

  glm::dvec3 to_scene(Vec3 world) const { return (vector(world) - centre_) / unit_; }
  Vec3 to_world(glm::dvec3 scene) const {
    const glm::dvec3 world = centre_ + unit_ * scene;
    return {world.x, world.y, world.z};
  }
  /// Returns the world units per scene unit along each axis, negative if the axis is flipped.
  glm::dvec3 unit() const { return unit_; }
  /// Returns half the edges of the box in scene units: its corners lie at +-half().
  glm::dvec3 half() const { return glm::abs(signed_half()); }
  /// Returns half(), negative along flipped axes.
  glm::dvec3 signed_half() const { return 0.5 * edges_ / unit_; }
  /// Returns world lengths along the axes that count as equal, however long they are drawn: 1, or
  /// the edges of the box if the axes have different units.
  glm::dvec3 alike() const { return alike_; }
  /// Returns how many times longer lengths look here than along the least stretched axis.
  double stretch(int axis) const {
    const glm::dvec3 units = glm::abs(unit_);
    return std::max({units.x, units.y, units.z}) / units[axis];
  }
  /// Returns the radius of the sphere around the box, in scene units.
  double radius() const { return glm::length(half()); }

  friend bool operator==(const SceneFrame&, const SceneFrame&) = default;

 private:
  static glm::dvec3 vector(Vec3 v) { return {v.x, v.y, v.z}; }

  glm::dvec3 centre_, edges_, alike_, unit_;
};

namespace gl {
class ShaderProgram;
}

/// A plane in world units: the places whose product with the normal is the offset.
struct ClipPlane {
  Vec3 normal{1, 0, 0};  ///< not zero; its length has no meaning of its own
  double offset = 0;

  bool divides() const { return normal != Vec3{} && std::isfinite(offset); }
  /// Returns how far a place is beyond the plane, in multiples of the normal; below 0 before it.
  double beyond(Vec3 place) const {
    return normal.x * place.x + normal.y * place.y + normal.z * place.z - offset;
  }
  friend bool operator==(const ClipPlane&, const ClipPlane&) = default;
};

/// Limits the volume and its samples to a box and to one side of a plane.
struct Clip {
  std::optional<Box> box{};          ///< world units
  std::optional<ClipPlane> plane{};  ///< what lies on the side of its normal is cut away

  bool is_on() const { return box || plane; }
  bool keeps(Vec3 place) const {
    return (!box || box->holds(place)) && (!plane || plane->beyond(place) <= 0);
  }
  friend bool operator==(const Clip&, const Clip&) = default;
};

/// Returns a plane in scene units: its unit normal, and the product of that with places on it.
glm::dvec4 scene_plane(const ClipPlane& plane, const SceneFrame& frame);
/// Returns the plane with this normal in scene units through a place (world units).
ClipPlane plane_through(Vec3 place, glm::dvec3 normal, const SceneFrame& frame);

/// Sets the uniforms of clip.glsl for a scene.
void set_clip(const gl::ShaderProgram& program, const Clip& clip, const SceneFrame& frame);

}  // namespace skde::view
