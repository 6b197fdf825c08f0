#pragma once

#include <algorithm>
#include <glm/glm.hpp>

#include "core/vec3.hpp"

namespace skde::view {

/// Between world units and scene units, in which the box of a volume is centred on the origin and
/// its longest edge is 1, so that float holds positions far from the world's origin.
class SceneFrame {
 public:
  SceneFrame() : SceneFrame(Box{{-0.5, -0.5, -0.5}, {0.5, 0.5, 0.5}}) {}
  /// `stretched`: every edge becomes 1, for axes in unlike units (degrees beside kilometres).
  explicit SceneFrame(const Box& box, bool stretched = false)
      : centre_(vector(box.centre())), edges_(vector(box.extent())) {
    const double longest = std::max({edges_.x, edges_.y, edges_.z});
    unit_ = stretched ? edges_ : glm::dvec3(longest);
  }

  glm::dvec3 to_scene(Vec3 world) const { return (vector(world) - centre_) / unit_; }
  /// World units in a scene unit along each axis.
  glm::dvec3 unit() const { return unit_; }
  /// Half the edges of the box in scene units: its corners lie at +-half().
  glm::dvec3 half() const { return 0.5 * edges_ / unit_; }
  /// Of the sphere around the box, in scene units.
  double radius() const { return glm::length(half()); }

  friend bool operator==(const SceneFrame&, const SceneFrame&) = default;

 private:
  static glm::dvec3 vector(Vec3 v) { return {v.x, v.y, v.z}; }

  glm::dvec3 centre_, edges_, unit_;
};

}  // namespace skde::view
