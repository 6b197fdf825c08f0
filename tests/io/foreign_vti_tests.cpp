// VTI files written by VTK in each of its encodings, and hand-made files that state wrong sizes.

#include <filesystem>

#include "io/reader_support.hpp"
#include "io/volume_support.hpp"
#include "system/host_memory.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// The value that the VTK script stored in every file: (7 i mod 11) / 7.
double value_of_vtk(std::int64_t i) {
  return static_cast<float>(static_cast<double>(i * 7 % 11) / 7);
}

std::vector<std::filesystem::path> files_of_vtk() {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(SKDE_FUZZ_CORPUS "/vti"))
    if (entry.path().filename().string().starts_with("vtk_")) paths.push_back(entry.path());
  return paths;
}

/// Checks the grid of extent 2..4, -1..2, 0..4 with origin (10, 20, 30): points, or the cells
/// between them.
void check_grid_of_vtk(const Grid& grid, bool cells) {
  CHECK(grid.dims ==
        (cells ? std::array<std::int64_t, 3>{2, 3, 4} : std::array<std::int64_t, 3>{3, 4, 5}));
  CHECK(grid.spacing == Vec3{0.5, 0.25, 2});
  CHECK(grid.first_centre() == (cells ? Vec3{11.25, 19.875, 31} : Vec3{11, 19.75, 30}));
}

std::string inline_vti(std::string_view attributes, std::string_view values) {
  return fmt::format(
      "<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\">\n<!-- > < -->"
      "<ImageData WholeExtent=\"0 1 0 1 0 0\" Origin=\"0 0 0\" Spacing=\"1 1 1\">\n"
      "<Piece Extent=\"0 1 0 1 0 0\"><PointData><DataArray type=\"Float32\" Name=\"a\" {}>"
      "<InformationKey name=\"k\"><Value index=\"0\"> 7 </Value></InformationKey>\n {}</DataArray>"
      "</PointData></Piece></ImageData></VTKFile>",
      attributes, values);
}

void check_inline_refused(std::string_view attributes, std::string_view values,
                          const char* reason) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.vti", inline_vti(attributes, values));
  check_error([&] { io::read_volume(path); }, ErrorKind::input, {"a.vti", reason});
}

}  // namespace

TEST_CASE("VTI files of VTK are read in every encoding, and their grids by the header alone") {
  const auto paths = files_of_vtk();
  REQUIRE(paths.size() == 26);
  for (const auto& path : paths) {
    INFO(path.filename());
    const bool cells = path.filename().string().starts_with("vtk_cell");
    const io::VolumeFile file = io::read_volume(path);
    check_grid_of_vtk(file.volume.grid(), cells);
    const auto values = file.volume.values<float>();
    std::int64_t wrong = 0, next = 0;
    for (const float value : values) wrong += value != value_of_vtk(next++);
    CHECK(wrong == 0);
    check_grid_of_vtk(io::read_volume_head(path).grid, cells);
  }
}

TEST_CASE("The grid of a VTI file is known where its values are broken") {
  const TemporaryFolder folder;
  for (const auto& path : files_of_vtk()) {
    if (path.filename().string().find("appended") == std::string::npos) continue;
    std::string bytes = content_of(path);
    bytes.resize(bytes.find('_', bytes.find("<AppendedData")) + 3);
    const std::string broken = folder.file("a.vti", bytes);
    check_grid_of_vtk(io::read_volume_head(broken).grid,
                      path.filename().string().starts_with("vtk_cell"));
    check_error([&] { io::read_volume(broken); }, ErrorKind::input, {"a.vti"});
  }
}

TEST_CASE("VTI: values within the XML are read behind notes, and refused where they do not fit") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.vti", inline_vti("format=\"ascii\"", "1 2\n3 4.5"));
  const Volume volume = io::read_volume(path).volume;
  CHECK(volume.at(0, 1, 0) == 3);
  CHECK(volume.at(1, 1, 0) == 4.5);
  check_inline_refused("format=\"ascii\"", "1 2 3", "3 numbers for its 4");
  check_inline_refused("format=\"ascii\"", "1 2 3 4 5", "more numbers");
  check_inline_refused("format=\"ascii\"", "1 2 x 4", "'x' is not a number");
  check_inline_refused("format=\"ascii\"", "", "without values");
  check_inline_refused("format=\"binary\"", "EAAAAAAAgD8AAABAAABAQA", "truncated");
  check_inline_refused("format=\"binary\"", "EAAA!", "invalid characters");
  check_inline_refused("format=\"binary\"", "DAAAAAAAgD8AAABAAABAQA==", "12 bytes for 4");
  check_inline_refused("format=\"strange\"", "1 2 3 4", "strange");
}

TEST_CASE("VTI: a header and its values may be one unit of base64 or two") {
  const TemporaryFolder folder;
  for (const char* const text :
       {"EAAAAAAAgD8AAABAAABAQAAAgEA=", "EAAAAA==AACAPwAAAEAAAEBAAACAQA=="}) {
    const Volume volume =
        io::read_volume(folder.file("a.vti", inline_vti("format=\"binary\"", text))).volume;
    CHECK(volume.at(0, 0, 0) == 1);
    CHECK(volume.at(1, 1, 0) == 4);
  }
}

TEST_CASE("VTI: counts and sizes of blocks that do not fit are refused before memory is taken") {
  const TemporaryFolder folder;
  const auto refused = [&](std::string dims, std::initializer_list<double> sizes,
                           std::string compressor, const char* reason,
                           const std::string& data = "0123456789") {
    const std::string extent = fmt::format("0 {0} 0 {0} 0 {0}", dims);
    const std::string path = folder.file(
        "a.vti",
        fmt::format("<VTKFile type=\"ImageData\" byte_order=\"LittleEndian\" compressor=\"vtk{}"
                    "DataCompressor\"><ImageData WholeExtent=\"{}\" Origin=\"0 0 0\" Spacing=\"1 1 "
                    "1\"><Piece Extent=\"{}\"><PointData><DataArray type=\"Float32\" Name=\"a\" "
                    "format=\"appended\" offset=\"0\"/></PointData></Piece></ImageData>"
                    "<AppendedData encoding=\"raw\">_",
                    compressor, extent, extent) +
            stored<std::uint32_t>(sizes) + data);
    check_error([&] { io::read_volume(path); }, ErrorKind::input, {"a.vti", reason});
  };
  const std::int64_t before = peak_memory();
  for (const char* const compressor : {"ZLib", "LZ4", "LZMA"}) {
    INFO(compressor);
    // 900^3 floats in a block of 10 bytes, or in blocks that do not exist.
    refused("899", {1, 2916000000.0, 0, 10}, compressor, "too short");
    refused("899", {4000000000.0, 4, 0, 10}, compressor, "do not match");
    refused("1", {0, 32, 0}, compressor, "do not match");
    refused("1", {1, 0, 32, 10}, compressor, "do not match");
    refused("1", {1, 16, 0, 10}, compressor, "do not match");
    refused("1", {2, 16, 16, 5, 5}, compressor, "do not match");
    refused("1", {1, 32, 0, 100}, compressor, "larger than the file");
    refused("1", {2, 16, 0, 5}, compressor, "larger than the file");
    refused("1", {1, 32, 0, 10}, compressor, "decompressed");
    // 400^3 floats, which a block of this many bytes could hold.
    const double bytes = 1 << 20;
    refused("399", {1, 256000000.0, 0, bytes}, compressor, "decompressed",
            std::string(1 << 20, '\xee'));
  }
  CHECK(peak_memory() - before < std::int64_t{100} << 20);
}
