#pragma once

#include <cmath>
#include <glm/glm.hpp>
#include <optional>

#include "core/space/space.hpp"

namespace skde::view {

namespace gl {
class ShaderProgram;
}
class SceneFrame;

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

/// What is shown of the volume and its samples: what lies in the box and not beyond the plane.
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
