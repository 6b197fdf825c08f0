#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <sstream>

#include "io/meshes/mesh_formats.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// A tetrahedron far from 0, with digits that do not fit into float.
TriangleMesh tetrahedron() {
  TriangleMesh mesh;
  mesh.points = {{5e6 + 1.0 / 3, 0, 0}, {5e6 + 2, 0.1, 0}, {5e6, 1, 0}, {5e6, 0, 1}};
  mesh.normals = {{0, -0.6, -0.8}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {0, 3, 2}};
  return mesh;
}

const io::MeshRemarks kRemarks{{"level", "0.25"}, {"command_line", "skde iso a.vti <&> \u00e9"}};

std::string written(const TemporaryFolder& folder, const std::string& name,
                    const TriangleMesh& mesh) {
  const std::string path = folder.path(name);
  NoProgress silent;
  io::mesh_format_for(path).write(path, mesh, kRemarks, silent);
  CHECK(folder.names() == std::vector{name});
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

template <class Value>
Value value_at(const std::string& bytes, std::size_t place) {
  Value value;
  REQUIRE(place + sizeof(Value) <= bytes.size());
  std::memcpy(&value, bytes.data() + place, sizeof(Value));
  return value;
}

}  // namespace

TEST_CASE("PLY holds every digit of points, normals and corners") {
  const TriangleMesh mesh = tetrahedron();
  const std::string bytes = written(TemporaryFolder(), "a.ply", mesh);
  const std::size_t head = bytes.find("end_header\n") + 11;
  CHECK(bytes.find("comment level: 0.25\n") < head);
  CHECK(bytes.find("element vertex 4\n") < head);
  CHECK(bytes.find("element face 4\n") < head);
  REQUIRE(bytes.size() == head + 4 * 36 + 4 * 13);
  for (std::size_t i = 0; i < 4; ++i) {
    for (int axis = 0; axis < 3; ++axis) {
      const auto a = static_cast<std::size_t>(axis);
      CHECK(value_at<double>(bytes, head + 36 * i + 8 * a) == mesh.points[i][axis]);
      CHECK(value_at<float>(bytes, head + 36 * i + 24 + 4 * a) ==
            static_cast<float>(mesh.normals[i][axis]));
      CHECK(value_at<std::uint32_t>(bytes, head + 144 + 13 * i + 1 + 4 * a) ==
            mesh.triangles[i][a]);
    }
    CHECK(bytes[head + 144 + 13 * i] == 3);
  }
}

TEST_CASE("OBJ counts from 1 and keeps every digit") {
  TriangleMesh mesh = tetrahedron();
  std::istringstream lines(written(TemporaryFolder(), "a.obj", mesh));
  std::size_t points = 0, normals = 0, faces = 0;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind;
    Vec3 v;
    if (kind == "v" || kind == "vn") {
      words >> v.x >> v.y >> v.z;
      CHECK(v == (kind == "v" ? mesh.points[points++] : mesh.normals[normals++]));
    } else if (kind == "f") {
      for (const std::uint32_t corner : mesh.triangles[faces]) {
        std::string word;
        words >> word;
        CHECK(word == std::to_string(corner + 1) + "//" + std::to_string(corner + 1));
      }
      ++faces;
    }
  }
  CHECK(points == 4);
  CHECK(normals == 4);
  CHECK(faces == 4);
  mesh.normals.clear();
  CHECK(written(TemporaryFolder(), "b.obj", mesh).find("f 1 3 2\n") != std::string::npos);
}

TEST_CASE("STL holds floats of every triangle, and its normal") {
  const std::string bytes = written(TemporaryFolder(), "a.stl", tetrahedron());
  REQUIRE(bytes.size() == 84 + 4 * 50);
  CHECK(!bytes.starts_with("solid"));
  CHECK(value_at<std::uint32_t>(bytes, 80) == 4);
  CHECK(value_at<float>(bytes, 84) == 0);
  CHECK(value_at<float>(bytes, 84 + 8) == -1);  // normal of the first triangle, in z = 0
  CHECK(value_at<float>(bytes, 84 + 12) == static_cast<float>(5e6 + 1.0 / 3));
}

TEST_CASE("Meshes go to files of the known kinds, whole or not at all") {
  const Error unknown = thrown_error([] { io::mesh_format_for("a.gltf"); });
  CHECK(unknown.kind() == ErrorKind::usage);
  CHECK(says(unknown, ".ply, .obj, .stl, .vtp"));
  CHECK(&io::mesh_format_for("A.STL") == &io::mesh_formats()[2]);
  NoProgress silent;
  for (const io::MeshFormat& format : io::mesh_formats()) {
    const std::string path = "/proc/no/mesh" + std::string(format.extension);
    const Error refused =
        thrown_error([&] { format.write(path, tetrahedron(), kRemarks, silent); });
    CHECK(refused.kind() == ErrorKind::output);
    CHECK(says(refused, path));
  }
}

TEST_CASE("A face of a mesh that has no such corner names it as the file does") {
  const TemporaryFolder folder;
  for (const std::string corner : {"4", "0", "-4", "1.5"})
    check_thrown(ErrorKind::input, {"has the corner " + corner + " of 3"}, [&] {
      io::read_mesh(folder.file("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 -2 " + corner + "\n"));
    });
}
