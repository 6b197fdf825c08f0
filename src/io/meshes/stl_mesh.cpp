#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/report/error.hpp"
#include "io/meshes/mesh_files.hpp"

namespace skde::io {
namespace {

constexpr std::size_t kStlHeadBytes = 80;

void append_floats(std::string& to, Vec3 v) {
  for (int axis = 0; axis < 3; ++axis) append_bytes(to, static_cast<float>(v[axis]));
}

Vec3 normal_of(Vec3 a, Vec3 b, Vec3 c) {
  const Vec3 u = b - a, v = c - a;
  const Vec3 n{u.y * v.z - u.z * v.y, u.z * v.x - u.x * v.z, u.x * v.y - u.y * v.x};
  const double length = std::sqrt(n.x * n.x + n.y * n.y + n.z * n.z);
  return length > 0 ? (1 / length) * n : Vec3{};
}

}  // namespace

void write_stl_mesh(const std::string& path, const TriangleMesh& mesh, const MeshRemarks& remarks,
                    Progress& progress) {
  if (mesh.triangles.size() > std::numeric_limits<std::uint32_t>::max())
    throw Error(ErrorKind::unsupported,
                fmt::format("{}: STL cannot hold {} triangles", path, mesh.triangles.size()),
                {"output", "write it as .vtp"});
  // Readers take a header that begins with "solid" for a text file.
  std::string head = "binary";
  for (const auto& [name, text] : remarks)
    if (head.size() + name.size() + text.size() + 4 < kStlHeadBytes)
      head += fmt::format(", {}: {}", name, text);
  head.resize(kStlHeadBytes, ' ');
  append_bytes(head, static_cast<std::uint32_t>(mesh.triangles.size()));
  OutputFile file(path);
  file.write(head);
  write_records(file, mesh.triangles.size(), "records", progress,
                [&](std::string& to, std::size_t i) {
                  const auto& [a, b, c] = mesh.triangles[i];
                  append_floats(to, normal_of(mesh.points[a], mesh.points[b], mesh.points[c]));
                  for (const std::uint32_t corner : {a, b, c})
                    append_floats(to, mesh.points[corner]);
                  append_bytes(to, std::uint16_t{0});
                });
  file.commit();
}

}  // namespace skde::io
