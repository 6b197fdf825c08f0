#pragma once

#include <array>

#include "core/host_device.hpp"

namespace skde {

/// A point or a direction in world units.
struct Vec3 {
  double x = 0, y = 0, z = 0;

  SKDE_HOST_DEVICE double operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  double& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }

  friend Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

/// An axis-aligned box in world units; lower and upper are corners.
struct Box {
  Vec3 lower, upper;

  Vec3 extent() const { return upper - lower; }
  Vec3 centre() const { return 0.5 * (lower + upper); }
  /// Its faces included.
  bool holds(Vec3 at) const {
    return at.x >= lower.x && at.x <= upper.x && at.y >= lower.y && at.y <= upper.y &&
           at.z >= lower.z && at.z <= upper.z;
  }
  friend bool operator==(const Box&, const Box&) = default;
};

inline constexpr std::array<char, 3> kAxisNames{'x', 'y', 'z'};

}  // namespace skde
