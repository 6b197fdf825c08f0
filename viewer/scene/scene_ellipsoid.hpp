#pragma once

#include <array>
#include <glm/glm.hpp>
#include <optional>

#include "core/space/space.hpp"
#include "viewer/scene/camera.hpp"
#include "viewer/scene/scene_frame.hpp"

namespace skde::view {

/// The points centre + u_0 arms[0] + u_1 arms[1] + u_2 arms[2] with |u| <= 1, in scene units. The
/// arms are at right angles, the shortest first.
struct SceneEllipsoid {
  glm::dvec3 centre{0};
  std::array<glm::dvec3, 3> arms{};
};

/// Returns the ellipsoid u^T H^-1 u <= 1 about a place (world units). H may be singular: arms are
/// at least `least` long.
SceneEllipsoid scene_ellipsoid(Vec3 centre, const Symmetric3& H, const SceneFrame& frame,
                               double least = 0);

/// Returns the distance at which a ray enters an ellipsoid whose arms are longer than 0, negative
/// if that is before its origin; nothing if it misses.
std::optional<double> entry_of(const Ray& ray, const SceneEllipsoid& ellipsoid);

}  // namespace skde::view
