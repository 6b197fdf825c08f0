#pragma once

#include <algorithm>
#include <cmath>

#include "core/space/grid.hpp"

namespace skde {

/// Returns where a place belongs between two faces with this boundary: mirrored back at faces that
/// reflect, moved by whole lengths at periodic ones, and unchanged at others.
inline double settled_place(Boundary boundary, double place, double lower, double upper) {
  const double length = upper - lower;
  if (boundary == Boundary::reflect) {
    const double along = std::fmod(std::abs(place - lower), 2 * length);
    return std::clamp(lower + (along > length ? 2 * length - along : along), lower, upper);
  }
  if (boundary != Boundary::periodic) return place;
  const double along = std::fmod(place - lower, length);
  return std::clamp(lower + (along < 0 ? along + length : along), lower, upper);
}

/// Returns whether a place lies beyond a face at which the box ends.
inline bool is_beyond_faces(const Boundaries& boundaries, const Box& box, Vec3 place) {
  for (int axis = 0; axis < 3; ++axis)
    if (ends_at_faces(boundaries[static_cast<std::size_t>(axis)]) &&
        !is_between(place[axis], box.lower[axis], box.upper[axis]))
      return true;
  return false;
}

}  // namespace skde
