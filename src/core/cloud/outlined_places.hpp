#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/space/space.hpp"

namespace skde {

/// The places whose picture, as a camera has taken it, lies within an outline.
struct OutlinedPlaces {
  /// Rows of a 3x4 matrix that takes a place (world units, and 1) to x and y on the picture times
  /// w, and to w, which is above 0 before the camera.
  std::array<double, 12> to_picture{};
  /// At least three corners, on the picture; the outline closes itself. Where it crosses itself,
  /// what it goes around an even number of times is outside.
  std::vector<std::array<double, 2>> outline{};

  /// Returns whether the picture of a place lies within the outline.
  bool holds(Vec3 place) const;
  /// Returns whether all members are equal.
  friend bool operator==(const OutlinedPlaces&, const OutlinedPlaces&) = default;
};

inline bool OutlinedPlaces::holds(Vec3 place) const {
  const auto row = [&](std::size_t i) {
    const double* const m = to_picture.data() + 4 * i;
    return m[0] * place.x + m[1] * place.y + m[2] * place.z + m[3];
  };
  const double w = row(2);
  if (!(w > 0)) return false;
  const double x = row(0) / w, y = row(1) / w;
  // Counts how often the outline crosses the half line to the right.
  bool inside = false;
  for (std::size_t i = 0, before = outline.size() - 1; i < outline.size(); before = i++) {
    const auto& [ax, ay] = outline[before];
    const auto& [bx, by] = outline[i];
    if ((ay > y) != (by > y) && x < ax + (y - ay) / (by - ay) * (bx - ax)) inside = !inside;
  }
  return inside;
}

/// Returns whether a place lies within all of these.
inline bool lies_within(Vec3 place, const std::vector<OutlinedPlaces>& all) {
  for (const OutlinedPlaces& one : all)
    if (!one.holds(place)) return false;
  return true;
}

}  // namespace skde
