#include <fmt/core.h>

#include "io/meshes/mesh_files.hpp"

namespace skde::io {
namespace {

void append_vector(std::string& to, const char* letters, Vec3 v) {
  to += fmt::format("{} {} {} {}\n", letters, v.x, v.y, v.z);
}

}  // namespace

void write_obj_mesh(const std::string& path, const TriangleMesh& mesh, const MeshRemarks& remarks,
                    Progress& progress) {
  OutputFile file(path);
  for (const auto& [name, text] : remarks) file.write(fmt::format("# {}: {}\n", name, text));
  write_records(file, mesh.points.size(), "records", progress,
                [&](std::string& to, std::size_t i) { append_vector(to, "v", mesh.points[i]); });
  write_records(file, mesh.normals.size(), "records", progress,
                [&](std::string& to, std::size_t i) { append_vector(to, "vn", mesh.normals[i]); });
  const char* const corners =
      mesh.normals.empty() ? "f {0} {1} {2}\n" : "f {0}//{0} {1}//{1} {2}//{2}\n";
  write_records(file, mesh.triangles.size(), "records", progress,
                [&](std::string& to, std::size_t i) {
                  const auto [a, b, c] = mesh.triangles[i];  // 1-based
                  to += fmt::format(fmt::runtime(corners), std::uint64_t{a} + 1,
                                    std::uint64_t{b} + 1, std::uint64_t{c} + 1);
                });
  file.commit();
}

}  // namespace skde::io
