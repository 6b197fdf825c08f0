#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/space.hpp"

namespace skde {

/// A surface of triangles in world units, each counted anticlockwise where it is seen from outside.
struct TriangleMesh {
  std::vector<Vec3> points;
  std::vector<Vec3> normals;  ///< unit vectors at the points, outwards; empty where there are none
  std::vector<std::array<std::uint32_t, 3>> triangles;
};

}  // namespace skde
