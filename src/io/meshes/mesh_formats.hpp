#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/progress.hpp"
#include "core/triangle_mesh.hpp"

namespace skde::io {

/// What a file of a mesh says of it: names and texts of a line each.
using MeshRemarks = std::vector<std::pair<std::string, std::string>>;

/// A row of the table of mesh formats.
struct MeshFormat {
  std::string_view extension;  ///< ".ply"
  std::string_view summary;
  /// False where the file has floats, which lose digits of coordinates far from 0.
  bool doubles;
  /// Writes the file whole or not at all. Error(output), Error(cancelled), and Error(unsupported)
  /// where the format cannot count so many points.
  void (*write)(const std::string& path, const TriangleMesh& mesh, const MeshRemarks& remarks,
                Progress& progress);
};
std::span<const MeshFormat> mesh_formats();

/// The format for a path by its extension. Error(usage) that lists them where it is none.
const MeshFormat& mesh_format_for(const std::string& path);
/// ".ply, .obj, .stl, .vtp"
std::string mesh_extensions();

}  // namespace skde::io
