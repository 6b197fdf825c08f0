#include <fmt/core.h>

#include "core/report/error.hpp"
#include "io/meshes/mesh_files.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kMostPoints = std::size_t{1} << 31;  // limit of an int index

std::string ply_head_of(const TriangleMesh& mesh, const MeshRemarks& remarks) {
  std::string head = "ply\nformat binary_little_endian 1.0\n";
  for (const auto& [name, text] : remarks) head += fmt::format("comment {}: {}\n", name, text);
  head +=
      fmt::format("element vertex {}\nproperty double x\nproperty double y\nproperty double z\n",
                  mesh.points.size());
  if (!mesh.normals.empty()) head += "property float nx\nproperty float ny\nproperty float nz\n";
  head += fmt::format("element face {}\nproperty list uchar int vertex_indices\nend_header\n",
                      mesh.triangles.size());
  return head;
}

}  // namespace

void write_ply_mesh(const std::string& path, const TriangleMesh& mesh, const MeshRemarks& remarks,
                    Progress& progress) {
  if (mesh.points.size() > kMostPoints)
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: PLY cannot hold {} points", path, mesh.points.size()),
                {"output", "write it as .vtp"});
  OutputFile file(path);
  file.write(ply_head_of(mesh, remarks));
  write_records(file, mesh.points.size(), "records", progress, [&](std::string& to, std::size_t i) {
    append_bytes(to, mesh.points[i]);
    if (mesh.normals.empty()) return;
    for (int axis = 0; axis < 3; ++axis)
      append_bytes(to, static_cast<float>(mesh.normals[i][axis]));
  });
  write_records(file, mesh.triangles.size(), "records", progress,
                [&](std::string& to, std::size_t i) {
                  to += '\3';
                  append_bytes(to, mesh.triangles[i]);
                });
  file.commit();
}

}  // namespace skde::io
