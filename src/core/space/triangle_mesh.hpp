#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/space/space.hpp"

namespace skde {

/// A surface of triangles in world units, each counter-clockwise when seen from outside.
struct TriangleMesh {
  std::vector<Vec3> points;
  std::vector<Vec3> normals;  ///< unit outward vectors at the points; empty if unknown
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

}  // namespace skde
