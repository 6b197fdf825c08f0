#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/progress.hpp"
#include "core/space/triangle_mesh.hpp"
#include "io/bytes/output_file.hpp"

namespace skde::io {

/// Metadata of a mesh file: names and texts of one line each.
using MeshRemarks = std::vector<std::pair<std::string, std::string>>;

/// A row of the table of mesh formats.
struct MeshFormat {
  std::string_view extension;  ///< ".ply"
  std::string_view summary;
  /// False if the file has floats, which lose digits of coordinates far from 0.
  bool doubles;
  /// Writes the whole file or nothing. Throws Error(output), Error(cancelled), or
  /// Error(unsupported) if the format cannot count so many points.
  void (*write)(const std::string& path, const TriangleMesh& mesh, const MeshRemarks& remarks,
                Progress& progress);
};
std::span<const MeshFormat> mesh_formats();

/// Returns the format for a path by its extension. Throws Error(usage) that lists the extensions if
/// there is none.
const MeshFormat& mesh_format_for(const std::string& path);
/// Returns ".ply, .obj, .stl, .vtp".
std::string mesh_extensions();

/// Reads points and triangles of a .ply, .obj or .stl file; faces of more corners become several
/// triangles. Throws Error(usage) for other extensions, and Error(input) if the file is broken.
TriangleMesh read_mesh(const std::string& path);

// The writers behind mesh_formats(); see MeshFormat::write. They write normals if there are any.

/// Stanford PLY, binary, little endian: double x, y, z and float nx, ny, nz.
void write_ply_mesh(const std::string& path, const TriangleMesh& mesh, const MeshRemarks& remarks,
                    Progress& progress);
/// Wavefront OBJ: text with all digits.
void write_obj_mesh(const std::string& path, const TriangleMesh& mesh, const MeshRemarks& remarks,
                    Progress& progress);
/// STL, binary: float triangles, each with its own corners and its own normal.
void write_stl_mesh(const std::string& path, const TriangleMesh& mesh, const MeshRemarks& remarks,
                    Progress& progress);
/// VTK polygonal data, raw appended: doubles, with the remarks as field data.
void write_vtp_mesh(const std::string& path, const TriangleMesh& mesh, const MeshRemarks& remarks,
                    Progress& progress);

}  // namespace skde::io
