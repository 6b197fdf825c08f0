#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/report/error.hpp"
#include "io/meshes/mesh_formats.hpp"

namespace skde::io {
namespace {

void append_vector(std::string& to, const char* letters, Vec3 v) {
  to += fmt::format("{} {} {} {}\n", letters, v.x, v.y, v.z);
}

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

constexpr std::size_t kLengthBytes = 8;  // length in front of each array

/// VTK stores strings as their character codes and a final 0.
std::string string_element(const std::string& name, const std::string& text) {
  std::string codes;
  for (const char c : text) codes += fmt::format("{} ", static_cast<unsigned char>(c));
  return fmt::format(
      "      <Array type=\"String\" Name=\"{}\" NumberOfTuples=\"1\" "
      "format=\"ascii\">{}0</Array>\n",
      name, codes);
}

/// Arrays that follow the header, each preceded by its length.
class AppendedArrays {
 public:
  std::string element(const char* type, const char* attributes, std::size_t bytes) {
    std::string text = fmt::format("<DataArray type=\"{}\" {} format=\"appended\" offset=\"{}\"/>",
                                   type, attributes, offset_);
    offset_ += kLengthBytes + bytes;
    return text;
  }

 private:
  std::size_t offset_ = 0;
};

std::string vtp_head_of(const TriangleMesh& mesh, const MeshRemarks& remarks) {
  AppendedArrays arrays;
  std::string fields;
  for (const auto& [name, text] : remarks) fields += string_element(name, text);
  const std::string points =
      arrays.element("Float64", "NumberOfComponents=\"3\"", mesh.points.size() * sizeof(Vec3));
  std::string normals;
  if (!mesh.normals.empty())
    normals = fmt::format("      <PointData Normals=\"Normals\">\n        {}\n      </PointData>\n",
                          arrays.element("Float32", "Name=\"Normals\" NumberOfComponents=\"3\"",
                                         mesh.normals.size() * 3 * sizeof(float)));
  const std::string corners = arrays.element("Int64", "Name=\"connectivity\"",
                                             mesh.triangles.size() * 3 * sizeof(std::int64_t));
  const std::string ends =
      arrays.element("Int64", "Name=\"offsets\"", mesh.triangles.size() * sizeof(std::int64_t));
  return fmt::format(R"(<?xml version="1.0"?>
<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
  <PolyData>
    <FieldData>
{}    </FieldData>
    <Piece NumberOfPoints="{}" NumberOfPolys="{}" NumberOfVerts="0" NumberOfLines="0" NumberOfStrips="0">
{}      <Points>
        {}
      </Points>
      <Polys>
        {}
        {}
      </Polys>
    </Piece>
  </PolyData>
  <AppendedData encoding="raw">
   _)",
                     fields, mesh.points.size(), mesh.triangles.size(), normals, points, corners,
                     ends);
}

void write_length(OutputFile& file, std::size_t bytes) {
  std::string text;
  append_bytes(text, std::uint64_t{bytes});
  file.write(text);
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

void write_vtp_mesh(const std::string& path, const TriangleMesh& mesh, const MeshRemarks& remarks,
                    Progress& progress) {
  OutputFile file(path);
  file.write(vtp_head_of(mesh, remarks));
  write_length(file, mesh.points.size() * sizeof(Vec3));
  file.write(mesh.points.data(), mesh.points.size() * sizeof(Vec3));
  if (!mesh.normals.empty()) {
    write_length(file, mesh.normals.size() * 3 * sizeof(float));
    write_records(file, mesh.normals.size(), "records", progress,
                  [&](std::string& to, std::size_t i) {
                    for (int axis = 0; axis < 3; ++axis)
                      append_bytes(to, static_cast<float>(mesh.normals[i][axis]));
                  });
  }
  write_length(file, mesh.triangles.size() * 3 * sizeof(std::int64_t));
  write_records(file, mesh.triangles.size(), "records", progress,
                [&](std::string& to, std::size_t i) {
                  for (const std::uint32_t corner : mesh.triangles[i])
                    append_bytes(to, std::int64_t{corner});
                });
  write_length(file, mesh.triangles.size() * sizeof(std::int64_t));
  write_records(file, mesh.triangles.size(), "records", progress,
                [&](std::string& to, std::size_t i) {
                  append_bytes(to, static_cast<std::int64_t>(3 * (i + 1)));
                });
  file.write("\n  </AppendedData>\n</VTKFile>\n");
  file.commit();
}

}  // namespace skde::io
