// What other programs find in the files, read here without skde's own readers.

#include <cstring>

#include "io/reader_support.hpp"
#include "io/volume_support.hpp"
#if SKDE_HAS_NETCDF
#include <netcdf.h>
#endif
#if SKDE_HAS_OPENVDB
#include <openvdb/io/File.h>
#include <openvdb/openvdb.h>
#endif

using namespace skde;
using namespace skde::test;

namespace {

constexpr std::array<std::int64_t, 3> kDims{7, 4, 5};

/// Writes the marked volume and returns the path.
std::string written(const TemporaryFolder& folder, const char* name) {
  std::string path = folder.path(name);
  io::volume_format_for(path).write(path, marked_volume<float>(odd_grid(kDims)), full_metadata());
  return path;
}

std::string after(const std::string& bytes, std::string_view mark) {
  const std::size_t at = bytes.find(mark);
  REQUIRE(at != std::string::npos);
  return bytes.substr(at + mark.size());
}

/// Checks that `bytes` begin with the values of the marked volume, x fastest.
void check_values(const std::string& bytes) {
  const Volume volume = marked_volume<float>(odd_grid(kDims));
  REQUIRE(bytes.size() >= volume.values<float>().size_bytes());
  CHECK(std::memcmp(bytes.data(), volume.values<float>().data(),
                    volume.values<float>().size_bytes()) == 0);
  float corner = 0;
  std::memcpy(&corner, bytes.data() + 6 * sizeof corner, sizeof corner);
  CHECK(corner == 100);
}

/// The lower corner plus half a cell.
const Vec3 kFirst{1e6 + 0.1 + 0.05, -2.3 + 0.35, 1 / 3.0 + 6.15};

}  // namespace

TEST_CASE("VTI: the header's numbers, then the size and the values") {
  const TemporaryFolder folder;
  const std::string bytes = content_of(written(folder, "a.vti"));
  CHECK_THAT(bytes, Catch::Matchers::ContainsSubstring("WholeExtent=\"0 6 0 3 0 4\""));
  CHECK_THAT(bytes, Catch::Matchers::ContainsSubstring("type=\"Float32\" Name=\"density\""));
  CHECK_THAT(bytes, Catch::Matchers::ContainsSubstring(
                        "Name=\"kernel\" NumberOfTuples=\"1\" format=\"ascii\">98 "));
  std::array<double, 3> origin{}, spacing{};
  REQUIRE(std::sscanf(after(bytes, "Origin=\"").c_str(), "%lf %lf %lf", &origin[0], &origin[1],
                      &origin[2]) == 3);
  REQUIRE(std::sscanf(after(bytes, "Spacing=\"").c_str(), "%lf %lf %lf", &spacing[0], &spacing[1],
                      &spacing[2]) == 3);
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    CHECK(origin[a] == Approx(kFirst[axis]).epsilon(1e-15));
    CHECK(spacing[a] == odd_grid(kDims).spacing[axis]);
  }
  const std::string data = after(after(bytes, "<AppendedData encoding=\"raw\">"), "_");
  std::uint64_t size = 0;
  std::memcpy(&size, data.data(), sizeof size);
  CHECK(size == 7 * 4 * 5 * sizeof(float));
  check_values(data.substr(sizeof size));
}

TEST_CASE("NRRD: sizes, directions, origin of the first centre, then the values") {
  const TemporaryFolder folder;
  const std::string bytes = content_of(written(folder, "a.nrrd"));
  CHECK(bytes.starts_with("NRRD0005\n"));
  for (const char* const line :
       {"\ntype: float\n", "\nsizes: 7 4 5\n", "\nencoding: raw\n", "\nendian: little\n",
        "\nspace directions: (0.1,0,0) (0,0.7,0) (0,0,12.3)\n", "\nkinds: space space space\n",
        "\ncenterings: cell cell cell\n", "\nspace: right-anterior-superior\n",
        "\nspace units: \"km\" \"km\" \"km\"\n", "\nkernel:=biweight\n"})
    CHECK_THAT(bytes, Catch::Matchers::ContainsSubstring(line));
  std::array<double, 3> origin{};
  REQUIRE(std::sscanf(after(bytes, "\nspace origin: ").c_str(), "(%lf,%lf,%lf)", &origin[0],
                      &origin[1], &origin[2]) == 3);
  for (int axis = 0; axis < 3; ++axis)
    CHECK(origin[static_cast<std::size_t>(axis)] == Approx(kFirst[axis]).epsilon(1e-15));
  check_values(after(bytes, "\n\n"));
}

TEST_CASE("Texts with line breaks end no line of a header") {
  const TemporaryFolder folder;
  DensityMetadata metadata = full_metadata();
  metadata.units = "k\x1b[31m\r\nfoo: \"bar\"";
  metadata.command_line = "skde 'a\r\nb' ";
  for (const char* const name : {"a.nrrd", "a.mha"}) {
    const std::string path = folder.path(name);
    io::volume_format_for(path).write(path, marked_volume<float>(odd_grid({7, 4, 5})), metadata);
    const std::string bytes = content_of(path), head = bytes.substr(0, bytes.size() - 560);
    CHECK(head.find("\nfoo") == head.npos);
    CHECK(head.find('\r') == head.npos);
    CHECK(head.find('\x1b') == head.npos);
    CHECK_THAT(io::read_volume(path).metadata.units,
               Catch::Matchers::ContainsSubstring("foo: \"bar\""));
  }
}

TEST_CASE("NPY: shape (nz, ny, nx) in C order, with the grid in the JSON file") {
  const TemporaryFolder folder;
  const std::string bytes = content_of(written(folder, "a.npy"));
  CHECK_THAT(bytes, Catch::Matchers::ContainsSubstring(
                        "'descr': '<f4', 'fortran_order': False, 'shape': (5, 4, 7)"));
  const std::size_t head = bytes.find('\n') + 1;
  CHECK(head % 64 == 0);
  CHECK(static_cast<unsigned char>(bytes[8]) + 10u == head);
  check_values(bytes.substr(head));
  const std::string json = content_of(folder.path("a.npy.json"));
  CHECK_THAT(json, Catch::Matchers::ContainsSubstring("\"kernel\": \"biweight\""));
  CHECK_THAT(json, Catch::Matchers::ContainsSubstring("\"first_centre\""));
}

TEST_CASE("Zlib VTI: one block that zlib unpacks to the values") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.vti");
  io::volume_format_for(path, "vti-zlib")
      .write(path, marked_volume<float>(odd_grid(kDims)), full_metadata());
  const std::string bytes = content_of(path);
  CHECK_THAT(bytes, Catch::Matchers::ContainsSubstring("compressor=\"vtkZLibDataCompressor\""));
  const std::string data = after(after(bytes, "<AppendedData encoding=\"raw\">"), "_");
  std::array<std::uint64_t, 4> sizes{};
  std::memcpy(sizes.data(), data.data(), sizeof sizes);
  CHECK(sizes[0] == 1);
  CHECK(sizes[1] > 7 * 4 * 5 * sizeof(float));
  CHECK(sizes[2] == 7 * 4 * 5 * sizeof(float));
  CHECK(data.size() == sizeof sizes + sizes[3] + std::strlen("\n  </AppendedData>\n</VTKFile>\n"));
}

#if SKDE_HAS_NETCDF
TEST_CASE("NetCDF: CF variables that the NetCDF library reads back") {
  const TemporaryFolder folder;
  const std::string path = written(folder, "a.nc");
  int file = 0, density = 0, x = 0;
  REQUIRE(nc_open(path.c_str(), NC_NOWRITE, &file) == NC_NOERR);
  REQUIRE(nc_inq_varid(file, "density", &density) == NC_NOERR);
  REQUIRE(nc_inq_varid(file, "x", &x) == NC_NOERR);
  std::array<int, 3> dimensions{};
  REQUIRE(nc_inq_vardimid(file, density, dimensions.data()) == NC_NOERR);
  const std::array<std::pair<std::string, std::size_t>, 3> expected{{{"z", 5}, {"y", 4}, {"x", 7}}};
  for (std::size_t d = 0; d < 3; ++d) {
    char name[NC_MAX_NAME + 1] = {};
    std::size_t length = 0;
    REQUIRE(nc_inq_dim(file, dimensions[d], name, &length) == NC_NOERR);
    CHECK(name == expected[d].first);
    CHECK(length == expected[d].second);
  }
  const std::array<std::size_t, 3> corner{0, 0, 6};
  float value = 0;
  REQUIRE(nc_get_var1_float(file, density, corner.data(), &value) == NC_NOERR);
  CHECK(value == 100);
  std::array<double, 7> centres{};
  REQUIRE(nc_get_var_double(file, x, centres.data()) == NC_NOERR);
  CHECK(centres[6] == Approx(kFirst.x + 6 * 0.1).epsilon(1e-15));
  char conventions[16] = {}, units[16] = {};
  REQUIRE(nc_get_att_text(file, NC_GLOBAL, "Conventions", conventions) == NC_NOERR);
  REQUIRE(nc_get_att_text(file, x, "units", units) == NC_NOERR);
  CHECK(std::string(conventions) == "CF-1.8");
  std::array<char, 64> what{}, along{};
  REQUIRE(nc_get_att_text(file, density, "long_name", what.data()) == NC_NOERR);
  REQUIRE(nc_get_att_text(file, x, "long_name", along.data()) == NC_NOERR);
  CHECK(std::string(what.data()) == "density of samples");
  CHECK(std::string(along.data()) == "cell centres along x");
  CHECK(std::string(units) == "km");
  nc_close(file);
}
#endif

#if SKDE_HAS_OPENVDB
TEST_CASE("OpenVDB: a fog volume whose transform leads to the cell centres") {
  const TemporaryFolder folder;
  const std::string path = written(folder, "a.vdb");
  openvdb::initialize();
  openvdb::io::File file(path);
  file.open();
  const auto grid = openvdb::gridPtrCast<openvdb::FloatGrid>(file.readGrid("density"));
  REQUIRE(grid);
  CHECK(grid->getGridClass() == openvdb::GRID_FOG_VOLUME);
  const auto accessor = grid->getConstAccessor();
  CHECK(accessor.getValue(openvdb::Coord(6, 0, 0)) == 100);
  CHECK(accessor.getValue(openvdb::Coord(0, 1, 0)) == 1.0f);
  CHECK_FALSE(accessor.isValueOn(openvdb::Coord(1, 0, 0)));  // 0 is the background
  const openvdb::Vec3d world = grid->indexToWorld(openvdb::Coord(6, 0, 4));
  CHECK(world.x() == Approx(kFirst.x + 6 * 0.1).epsilon(1e-15));
  CHECK(world.y() == Approx(kFirst.y).epsilon(1e-15));
  CHECK(world.z() == Approx(kFirst.z + 4 * 12.3).epsilon(1e-15));
}

TEST_CASE("OpenVDB: the head is read without the tree, whoever wrote it") {
  const TemporaryFolder folder;
  const std::string own = written(folder, "a.vdb"), bytes = content_of(own);
  const std::string cut = folder.file("cut.vdb", bytes.substr(0, bytes.size() / 2));
  CHECK(io::read_volume_head(cut).grid == io::read_volume_head(own).grid);
  CHECK(io::read_volume_head(cut).metadata.units == "km");
  check_error([&] { io::read_volume(cut); }, ErrorKind::input, {"cut.vdb", "truncated"});

  openvdb::initialize();
  const auto made = openvdb::FloatGrid::create(0.0f);
  made->setName("density");
  made->setTransform(openvdb::math::Transform::createLinearTransform(0.5));
  for (int i = 0; i < 60; ++i)
    made->getAccessor().setValue(openvdb::Coord(i, 2 * i, 4), static_cast<float>(1 + i));
  const std::string path = folder.path("made.vdb");
  openvdb::io::File(path).write({made});
  const Grid grid = io::read_volume(path).volume.grid();
  CHECK(grid.dims == std::array<std::int64_t, 3>{60, 119, 1});
  CHECK(io::read_volume_head(path).grid == grid);
  const std::string head = content_of(path);
  const std::string headed = folder.file("headed.vdb", head.substr(0, head.size() - 200));
  CHECK(io::read_volume_head(headed).grid == grid);
}

TEST_CASE("OpenVDB: rotated grids and more cells than memory has room for are refused") {
  const TemporaryFolder folder;
  openvdb::initialize();
  const auto made = openvdb::DoubleGrid::create(0.0);
  made->getAccessor().setValue(openvdb::Coord(1, 2, 3), 1.0);
  const std::string path = folder.path("made.vdb");
  made->transform().postRotate(0.3, openvdb::math::Z_AXIS);
  openvdb::io::File(path).write({made});
  check_error([&] { io::read_volume(path); }, ErrorKind::input, {"made.vdb", "rotated"});
  check_error([&] { io::read_volume_head(path); }, ErrorKind::input, {"made.vdb", "rotated"});
  made->setTransform(openvdb::math::Transform::createLinearTransform(1));
  made->insertMeta("dims", openvdb::StringMetadata("100000 100000 1000"));
  openvdb::io::File(path).write({made});
  check_error([&] { io::read_volume(path); }, ErrorKind::resources,
              {"made.vdb", "100000 x 100000 x 1000 cells"});
}
#endif
