#include "viewer/layers/space/scene_ellipsoid.hpp"

#include <algorithm>
#include <cmath>

namespace skde::view {

SceneEllipsoid scene_ellipsoid(Vec3 centre, const Symmetric3& H, const SceneFrame& frame,
                               double least) {
  const glm::dvec3 u = frame.unit();
  const Eigen3 axes =
      eigen_decomposition({H.xx / (u.x * u.x), H.xy / (u.x * u.y), H.xz / (u.x * u.z),
                           H.yy / (u.y * u.y), H.yz / (u.y * u.z), H.zz / (u.z * u.z)});
  SceneEllipsoid ellipsoid{frame.to_scene(centre), {}};
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 v = axes.vectors[i];
    const double length = std::max(std::sqrt(std::max(axes.values[i], 0.0)), least);
    ellipsoid.arms[i] = length * glm::dvec3(v.x, v.y, v.z);
  }
  return ellipsoid;
}

std::optional<double> entry_of(const Ray& ray, const SceneEllipsoid& ellipsoid) {
  // In the frame of the arms the ellipsoid is the unit ball.
  glm::dvec3 origin, direction;
  for (int i = 0; i < 3; ++i) {
    const glm::dvec3 arm = ellipsoid.arms[static_cast<std::size_t>(i)];
    const double square = glm::dot(arm, arm);
    origin[i] = glm::dot(arm, ray.origin - ellipsoid.centre) / square;
    direction[i] = glm::dot(arm, ray.direction) / square;
  }
  const double square = glm::dot(direction, direction);
  const double nearest = -glm::dot(origin, direction) / square;
  const glm::dvec3 aside = origin + nearest * direction;
  const double chord = 1 - glm::dot(aside, aside);
  if (!(chord >= 0)) return std::nullopt;
  return nearest - std::sqrt(chord / square);
}

}  // namespace skde::view
