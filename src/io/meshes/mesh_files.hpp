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

/// Appends the bytes of a value as they are in memory.
template <class Value>
void append_bytes(std::string& to, const Value& value) {
  char bytes[sizeof(Value)];
  std::memcpy(bytes, &value, sizeof(Value));
  to.append(bytes, sizeof(Value));
}

/// Writes `count` records, each by append(text, index), a few thousand at a time.
template <class Append>
void write_records(OutputFile& file, std::size_t count, Progress& progress, const Append& append) {
  constexpr std::size_t kAtOnce = 1 << 14;
  progress.begin("writing " + file.path(), count, "records");
  std::string piece;
  for (std::size_t begin = 0; begin < count; begin += kAtOnce) {
    progress.throw_if_cancelled();
    piece.clear();
    const std::size_t end = begin + kAtOnce < count ? begin + kAtOnce : count;
    for (std::size_t i = begin; i < end; ++i) append(piece, i);
    file.write(piece);
    progress.update(end);
  }
}

}  // namespace skde::io
