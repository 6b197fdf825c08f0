#pragma once

#include <cstddef>
#include <map>
#include <utility>

#include "core/space/triangle_mesh.hpp"

namespace skde::test {

/// Counts the edges that keep a mesh from being watertight: those not shared by exactly two
/// triangles that run along it in opposite directions.
inline std::size_t open_edges(const TriangleMesh& mesh) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> directed;
  for (const auto& t : mesh.triangles)
    for (std::size_t i = 0; i < 3; ++i) ++directed[{t[i], t[(i + 1) % 3]}];
  std::size_t open = 0;
  for (const auto& [edge, count] : directed) {
    const auto back = directed.find({edge.second, edge.first});
    if (count != 1 || back == directed.end() || edge.first == edge.second) ++open;
  }
  return open;
}

}  // namespace skde::test
