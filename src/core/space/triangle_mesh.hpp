#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/space/space.hpp"

namespace skde {

/// The product a . b.
inline double dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
/// The product a x b.
inline Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// A surface of triangles in world units, each counter-clockwise when seen from outside.
struct TriangleMesh {
  std::vector<Vec3> points;
  std::vector<Vec3> normals;  ///< unit outward vectors at the points; empty if unknown
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

}  // namespace skde
