#include <fmt/core.h>

#include "io/meshes/mesh_files.hpp"

namespace skde::io {
namespace {

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
