#pragma once

#include <algorithm>
#include <cmath>
#include <glm/glm.hpp>
#include <optional>
#include <vector>

#include "core/space/grid.hpp"
#include "support/cases/random_choice.hpp"
#include "viewer/layers/space/camera.hpp"
#include "viewer/layers/space/scene_frame.hpp"

namespace skde::test {

inline constexpr glm::ivec2 kClipSize{97, 73};
inline const Grid kClipGrid{{-1, 2, 1005}, {0.1, 0.2, 0.15}, {40, 33, 50}};

/// A value that rises evenly, so that it is exact between cell centres.
struct Ramp {
  Vec3 slope;
  double level;

  double at(Vec3 place) const {
    return slope.x * place.x + slope.y * place.y + slope.z * place.z + level;
  }
};

/// Returns a ramp over the box from 1 to 2.
inline Ramp random_ramp(Choice& choose) {
  const Box box = kClipGrid.bounds();
  Ramp ramp{{choose.real(-1, 1), choose.real(-1, 1), choose.real(-1, 1)}, 0};
  const Vec3 half = 0.5 * box.extent();
  const double reach = std::abs(ramp.slope.x) * half.x + std::abs(ramp.slope.y) * half.y +
                       std::abs(ramp.slope.z) * half.z;
  ramp.slope = (0.5 / reach) * ramp.slope;
  ramp.level = 1.5 - ramp.at(box.centre());
  return ramp;
}

inline Vec3 place_in(Choice& choose, const Box& box) {
  const Vec3 extent = box.extent();
  return box.lower + Vec3{choose.real(0, 1) * extent.x, choose.real(0, 1) * extent.y,
                          choose.real(0, 1) * extent.z};
}

inline view::Clip random_clip(Choice& choose) {
  const Box box = kClipGrid.bounds();
  view::Clip clip;
  const bool plane = choose.coin();
  if (plane) {
    clip.plane = view::ClipPlane{{choose.real(-1, 1), choose.real(-1, 1), choose.real(-1, 1)}, 0};
    clip.plane->offset = clip.plane->beyond(place_in(choose, box));
  }
  if (plane && choose.coin()) return clip;
  clip.box = Box{};
  for (int axis = 0; axis < 3; ++axis) {
    const double edge = box.extent()[axis], a = choose.real(-0.2, 0.6);
    clip.box->lower[axis] = box.lower[axis] + a * edge;
    clip.box->upper[axis] = box.lower[axis] + choose.real(a + 0.2, 1.2) * edge;
  }
  return clip;
}

/// The part of a ray inside the clip and the box of the grid. Distances are in scene units.
struct KeptPart {
  double begin = 0, end = 1e3;
  double before = 0;     ///< where the ray enters the last but one of the half spaces
  glm::dvec3 normal{0};  ///< of the face by which it enters the last one; 0 if it begins in all
};

/// Finds the part by cutting the ray with one half space after another.
inline std::optional<KeptPart> kept_part(const view::Ray& ray, const view::Clip& clip,
                                         const view::SceneFrame& frame) {
  KeptPart part;
  const auto cut = [&](auto measure) {  // keeps where the measure of a place is at most 0
    const auto at = [&](glm::dvec3 place) { return measure(frame.to_world(place)); };
    const double a = at(ray.origin), b = at(ray.origin + ray.direction) - a, enters = -a / b;
    if (b > 0) part.end = std::min(part.end, -a / b);
    if (b == 0 && a > 0) part.end = -1;
    if (!(b < 0)) return;
    part.before = std::max(part.before, std::min(part.begin, enters));
    if (enters < part.begin) return;
    part.begin = enters;
    const glm::dvec3 o(0), x(1, 0, 0), y(0, 1, 0), z(0, 0, 1);
    part.normal = glm::normalize(glm::dvec3(at(x), at(y), at(z)) - at(o));
  };
  std::vector<Box> boxes{kClipGrid.bounds()};
  if (clip.box) boxes.push_back(*clip.box);
  for (const Box& box : boxes)
    for (int axis = 0; axis < 3; ++axis) {
      cut([&](Vec3 place) { return box.lower[axis] - place[axis]; });
      cut([&](Vec3 place) { return place[axis] - box.upper[axis]; });
    }
  if (clip.plane) cut([&](Vec3 place) { return clip.plane->beyond(place); });
  if (part.end <= part.begin) return std::nullopt;
  return part;
}

inline view::Camera random_camera(Choice& choose) {
  return {choose.real(-180, 180), choose.real(-80, 80), choose.real(0.8, 2)};
}

}  // namespace skde::test
