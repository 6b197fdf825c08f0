#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/error.hpp"
#include "io/bytes/byte_source.hpp"
#include "io/meshes/mesh_formats.hpp"
#include "io/points/readers/ply_header.hpp"
#include "io/text/text_fields.hpp"
#include "io/text/text_file.hpp"

namespace skde::io {
namespace {

Error broken(const std::string& path, std::string_view what) {
  return {ErrorKind::input, fmt::format("{}: {}; the file is truncated or broken", path, what)};
}

/// Returns the next word of a text, and removes it; empty at the end.
std::string_view next_word(std::string_view& text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(kBlanks));
  text.remove_prefix(word.size());
  return word;
}

double next_number(std::string_view& text, const std::string& path) {
  const std::string_view word = next_word(text);
  double value = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || problem != std::errc{} || end != word.data() + word.size())
    throw broken(path, fmt::format("'{}' is not a number", word));
  return value;
}

/// Returns the corner from 0 that a file gives as `given`.
double checked_corner(double corner, double given, const TriangleMesh& mesh,
                      const std::string& path) {
  if (corner >= 0 && corner < static_cast<double>(mesh.points.size()) &&
      corner == std::floor(corner))
    return corner;
  throw broken(path, fmt::format("a face has the corner {:g} of {}", given, mesh.points.size()));
}

/// Adds a polygon as triangles that share its first corner.
void add_polygon(TriangleMesh& mesh, const std::vector<double>& corners) {
  const auto at = [&](std::size_t k) { return static_cast<std::uint32_t>(corners[k]); };
  for (std::size_t k = 2; k < corners.size(); ++k)
    mesh.triangles.push_back({at(0), at(k - 1), at(k)});
}

TriangleMesh read_obj(const std::string& path) {
  TriangleMesh mesh;
  const std::string bytes = read_text(path);
  for (std::string_view rest = bytes; !rest.empty();) {
    std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    const std::string_view kind = next_word(line);
    if (kind == "v") {
      Vec3& to = mesh.points.emplace_back();
      for (int axis = 0; axis < 3; ++axis) to[axis] = next_number(line, path);
    } else if (kind == "f") {
      std::vector<double> corners;
      for (std::string_view word = next_word(line); !word.empty(); word = next_word(line)) {
        std::string_view index = word.substr(0, word.find('/'));
        const double given = next_number(index, path);  // negative: from the last point on
        const double first = given < 0 ? -static_cast<double>(mesh.points.size()) : 1;
        corners.push_back(checked_corner(given - first, given, mesh, path));
      }
      add_polygon(mesh, corners);
    }
  }
  return mesh;
}

TriangleMesh read_stl(const std::string& path) {
  constexpr std::size_t kHead = 84, kTriangle = 50, kNormal = 12;
  const std::string bytes = read_text(path);
  TriangleMesh mesh;
  const auto convert = column_converter(ScalarType::f32, false);
  if (bytes.size() >= kHead && bytes.size() == kHead + kTriangle * little_endian(bytes, 80, 4)) {
    for (std::size_t at = kHead + kNormal; at < bytes.size(); at += kTriangle)
      for (std::size_t corner = 0; corner < 3; ++corner) {
        double xyz[3];
        convert(bytes.data() + at + 12 * corner, 4, 3, xyz, 1);
        mesh.points.push_back({xyz[0], xyz[1], xyz[2]});
      }
  } else {
    std::string_view rest = bytes;
    for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest))
      if (word == "vertex") {
        Vec3& to = mesh.points.emplace_back();
        for (int axis = 0; axis < 3; ++axis) to[axis] = next_number(rest, path);
      }
  }
  if (mesh.points.size() % 3 != 0) throw broken(path, "a triangle lacks a corner");
  for (std::uint32_t k = 0; k + 2 < mesh.points.size(); k += 3)
    mesh.triangles.push_back({k, k + 1, k + 2});
  return mesh;
}

std::optional<int> axis_of(const PlyProperty& property) {
  for (int axis = 0; axis < 3; ++axis)
    if (!property.list && property.name == std::string(1, "xyz"[axis])) return axis;
  return std::nullopt;
}

bool has_coordinates(const PlyElement& vertex) {
  std::set<int> axes;
  for (const PlyProperty& property : vertex.properties)
    if (const auto axis = axis_of(property)) axes.insert(*axis);
  return axes.size() == 3;
}

TriangleMesh read_ply(const std::string& path) {
  BufferedSource source(open_source(path));
  const PlyHeader header = read_ply_header(source);
  const std::string bytes = read_whole(source, broken(path, "it is larger than 1 GiB"));
  std::string_view rest = bytes;
  const auto next = [&](ScalarType type) {
    if (header.encoding == PlyEncoding::ascii) return next_number(rest, path);
    if (rest.size() < size_of(type)) throw broken(path, "it ends within a row");
    double value = 0;
    column_converter(type, header.encoding == PlyEncoding::big_endian)(rest.data(), 0, 1, &value,
                                                                       1);
    rest.remove_prefix(size_of(type));
    return value;
  };
  TriangleMesh mesh;
  for (const PlyElement& element : header.elements) {
    const bool vertices = element.name == "vertex";
    if (vertices && !has_coordinates(element)) throw broken(path, "a vertex has no x, y, z");
    if (element.properties.empty()) continue;
    for (std::uint64_t row = 0; row < element.count; ++row) {
      Vec3 place;
      for (const PlyProperty& property : element.properties) {
        if (property.list) {
          std::vector<double> entries;
          for (double left = next(property.length_type); left > 0; --left)
            entries.push_back(next(property.type));
          if (element.name != "face" || !property.name.starts_with("vertex_ind")) continue;
          for (const double corner : entries) checked_corner(corner, corner, mesh, path);
          add_polygon(mesh, entries);
          continue;
        }
        const double value = next(property.type);
        if (const auto axis = axis_of(property)) place[*axis] = value;
      }
      if (vertices) mesh.points.push_back(place);
    }
  }
  return mesh;
}

}  // namespace

TriangleMesh read_mesh(const std::string& path) {
  const std::string extension = lower_case(std::filesystem::path(path).extension().string());
  TriangleMesh mesh = extension == ".obj"   ? read_obj(path)
                      : extension == ".stl" ? read_stl(path)
                      : extension == ".ply"
                          ? read_ply(path)
                          : throw Error(ErrorKind::usage,
                                        fmt::format("{}: use a mesh in .ply, .obj or .stl", path));
  for (const Vec3 point : mesh.points)
    if (!std::isfinite(point.x + point.y + point.z))
      throw Error(ErrorKind::input, fmt::format("{}: a point is not finite", path));
  return mesh;
}

}  // namespace skde::io
