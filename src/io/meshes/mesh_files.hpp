#pragma once

#include <cstring>
#include <string>

#include "io/bytes/output_file.hpp"
#include "io/meshes/mesh_formats.hpp"

namespace skde::io {

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
