#include "viewer/layers/space/clip_outline.hpp"

#include <algorithm>

#include "viewer/layers/space/scene_overlay.hpp"

namespace skde::view {
namespace {

constexpr float kOutlineWidth = 1.4F;

using Polygon = std::vector<glm::dvec3>;

/// Returns the part of a convex polygon where dot(plane.xyz, place) <= plane.w (Sutherland and
/// Hodgman, Reentrant polygon clipping, 1974).
Polygon part_before(const Polygon& polygon, glm::dvec4 plane) {
  const auto beyond = [plane](glm::dvec3 place) {
    return glm::dot(glm::dvec3(plane), place) - plane.w;
  };
  Polygon part;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const glm::dvec3 from = polygon[i], to = polygon[(i + 1) % polygon.size()];
    const double a = beyond(from), b = beyond(to);
    if (a <= 0) part.push_back(from);
    if ((a <= 0) != (b <= 0)) part.push_back(from + a / (a - b) * (to - from));
  }
  return part;
}

/// Returns a square on a plane that is larger than the scene.
Polygon square_on(glm::dvec4 plane) {
  constexpr double kHalf = 4;  // scene units
  const glm::dvec3 normal(plane), size = glm::abs(normal);
  glm::dvec3 aside(0);
  aside[size.x <= size.y && size.x <= size.z ? 0 : size.y <= size.z ? 1 : 2] = 1;
  const glm::dvec3 u = kHalf * glm::normalize(glm::cross(normal, aside)), v = glm::cross(normal, u);
  const glm::dvec3 middle = plane.w * normal;
  return {middle - u - v, middle + u - v, middle + u + v, middle - u + v};
}

/// Returns the outward planes of a box between two corners in scene units.
std::vector<glm::dvec4> planes_of(glm::dvec3 lower, glm::dvec3 upper) {
  std::vector<glm::dvec4> planes;
  for (int axis = 0; axis < 3; ++axis) {
    glm::dvec4 low(0, 0, 0, -lower[axis]), high(0, 0, 0, upper[axis]);
    low[axis] = -1;
    high[axis] = 1;
    planes.insert(planes.end(), {low, high});
  }
  return planes;
}

/// Half spaces in scene units, and the planes of those that a clip adds to a box.
struct Walls {
  std::vector<glm::dvec4> all, added;
};

/// Returns no walls if the clip leaves nothing of the box.
Walls walls_of(const Clip& clip, const SceneFrame& frame) {
  glm::dvec3 lower = -frame.half(), upper = frame.half();
  if (clip.box) {
    const glm::dvec3 one = frame.to_scene(clip.box->lower), other = frame.to_scene(clip.box->upper);
    lower = glm::max(lower, glm::min(one, other));
    upper = glm::min(upper, glm::max(one, other));
  }
  if (glm::any(glm::lessThanEqual(upper, lower))) return {};
  Walls walls{planes_of(lower, upper), {}};
  if (clip.box) walls.added = walls.all;
  if (clip.plane) {
    walls.all.push_back(scene_plane(*clip.plane, frame));
    walls.added.push_back(walls.all.back());
  }
  return walls;
}

/// Adds the outline of what the walls leave of a polygon, other than those in `face`.
void add_outline(Polygon polygon, const Walls& walls, glm::dvec4 face, glm::vec4 color,
                 std::vector<LineSegment>& lines) {
  for (const glm::dvec4& wall : walls.all)
    if (wall != face) polygon = part_before(polygon, wall);
  for (std::size_t i = 0; i < polygon.size(); ++i)
    lines.push_back({glm::vec3(polygon[i]), kOutlineWidth,
                     glm::vec3(polygon[(i + 1) % polygon.size()]), color});
}

}  // namespace

std::vector<LineSegment> clip_lines(const Clip& clip, const SceneFrame& frame, glm::vec4 color) {
  const Walls walls = walls_of(clip, frame);
  std::vector<LineSegment> lines;
  for (const glm::dvec4& face : walls.added)
    add_outline(square_on(face), walls, face, color, lines);
  return lines;
}

std::vector<LineSegment> section_lines(Vec3 at, const Clip& clip, const SceneFrame& frame,
                                       const std::array<glm::vec4, 3>& colors) {
  const Walls walls = walls_of(clip, frame);
  std::vector<LineSegment> lines;
  if (walls.all.empty()) return lines;
  const glm::dvec3 place = frame.to_scene(at);
  for (int axis = 0; axis < 3; ++axis) {
    glm::dvec4 plane(0, 0, 0, place[axis]);
    plane[axis] = 1;
    const glm::vec4 color = colors[static_cast<std::size_t>(axis)];
    add_outline(square_on(plane), walls, plane, color, lines);
    glm::dvec3 along(0);
    along[axis] = 1;
    add_outline({place - along, place + along}, walls, plane, color, lines);
  }
  return lines;
}

}  // namespace skde::view
