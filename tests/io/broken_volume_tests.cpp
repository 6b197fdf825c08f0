#include <cmath>
#include <functional>

#include "core/report/error.hpp"
#include "io/reader_support.hpp"
#include "io/volume_support.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Returns the bytes of a file that skde writes.
std::string good_bytes(const std::string& name, std::string_view format = {}) {
  const TemporaryFolder folder;
  const std::string path = folder.path(name);
  io::volume_format_for(path, format)
      .write(path, marked_volume<float>(odd_grid({7, 4, 5})), full_metadata());
  return content_of(path);
}

void check_volume_refused(const std::string& name, std::string_view bytes,
                          std::initializer_list<std::string> fragments,
                          ErrorKind kind = ErrorKind::input) {
  const TemporaryFolder folder;
  const std::string path = folder.file(name, bytes);
  INFO(name << " " << *fragments.begin());
  check_error([&] { io::read_volume(path); }, kind, fragments);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

}  // namespace

TEST_CASE("Volumes that are cut short anywhere are refused") {
  for (const io::VolumeFormat& format : io::volume_formats()) {
    if (!format.unavailable.empty()) continue;
    const std::string name = std::string("a").append(format.extension);
    const std::string whole = good_bytes(name, format.name);
    // The tail of a VTI file follows its values and is not needed.
    const std::size_t needed = name == "a.vti" ? whole.size() - 31 : whole.size() - 1;
    for (const std::size_t kept : {std::size_t{0}, std::size_t{3}, needed / 3, needed / 2, needed})
      check_volume_refused(name, whole.substr(0, kept), {"a."});
  }
}

TEST_CASE("VTI files that are not what skde reads are refused with the reason") {
  const std::string vti = good_bytes("a.vti");
  const auto refused = [&](const char* from, const char* to, const char* reason) {
    check_volume_refused("a.vti", replaced(vti, from, to), {reason});
  };
  refused("ImageData\"", "RectilinearGrid\"", "RectilinearGrid");
  refused("encoding=\"raw\"", "encoding=\"hex\"", "hex");
  refused("format=\"appended\"", "format=\"ascii\"", "without values");
  refused("Direction=\"1 0", "Direction=\"1 1", "rotated");
  refused("Spacing=\"0.1", "Spacing=\"-0.1", "spacing");
  refused("Spacing=\"0.1", "Spacing=\"x", "must be 3 numbers");
  refused("0 6 0 3 0 4", "0 6 0 3 0 5", "whole image");
  refused("Direction=\"1 0 0 0 1", "Direction=\"1 1 0 0 0", "same direction");
  refused("Float32\" Name=\"density", "Complex\" Name=\"density", "Complex");
  refused("Float32\" Name=\"density", "Float64\" Name=\"density", "560 bytes for 140");
  refused("\"LittleEndian", "\"bigEndian", "its byte_order is 'bigEndian'");
  refused("header_type=\"UInt64", "header_type=\"UInt16", "its header_type is 'UInt16'");
  refused("<VTKFile", "<VTKFil>", "XML");
  refused("offset=\"0\"", "offset=\"999999999\"", "after its end");
  check_volume_refused("a.vti", "not a volume", {"not a VTK image"});
}

TEST_CASE("A VTI header that lies about its size is refused before memory is asked for") {
  std::string vti = good_bytes("a.vti");
  for (int piece = 0; piece < 2; ++piece)
    vti = replaced(vti, "0 6 0 3 0 4", "0 999999 0 999999 0 999999");
  check_volume_refused("a.vti", vti, {"bytes"});
  std::string packed = good_bytes("a.vti", "vti-zlib");
  for (int piece = 0; piece < 2; ++piece)
    packed = replaced(packed, "0 6 0 3 0 4", "0 999999 0 999999 0 999999");
  check_volume_refused("a.vti", packed, {"blocks"});
}

TEST_CASE("A compressed block that is damaged is refused") {
  std::string packed = good_bytes("a.vti", "vti-zlib");
  const std::size_t data = packed.find('_', packed.find("<AppendedData")) + 1 + 4 * 8;
  packed[data + 20] = static_cast<char>(packed[data + 20] ^ 0x55);
  check_volume_refused("a.vti", packed, {"decompressed"});
}

TEST_CASE("VTI: big endian, 32-bit sizes and other arrays are read") {
  const TemporaryFolder folder;
  const std::string path =
      folder.file("a.vti",
                  "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" byte_order=\"BigEndian\">\n"
                  "<ImageData WholeExtent=\"1 2 0 0 0 0\" Origin=\"0 0 0\" Spacing=\"2 1 1\">\n"
                  "<Piece Extent=\"1 2 0 0 0 0\"><PointData>\n"
                  "<DataArray type=\"Float32\" NumberOfComponents=\"3\" Name=\"v\" "
                  "format=\"appended\" offset=\"0\"/>\n"
                  "<DataArray type=\"Int16\" Name=\"s\" format=\"appended\" offset=\"3\"/>\n"
                  "</PointData></Piece></ImageData>\n<AppendedData encoding=\"raw\">\n_abc" +
                      std::string("\0\0\0\4", 4) + stored<std::int16_t>({-5, 300}, true) +
                      "</AppendedData></VTKFile>");
  const io::VolumeFile file = io::read_volume(path);
  CHECK(file.volume.grid().first_centre() == Vec3{2, 0, 0});
  CHECK(file.volume.at(0, 0, 0) == -5);
  CHECK(file.volume.at(1, 0, 0) == 300);
  CHECK(file.metadata.samples == 0);
}

TEST_CASE("NRRD files that are not what skde reads are refused with the reason") {
  const std::string nrrd = good_bytes("a.nrrd");
  const auto refused = [&](const char* from, const char* to, const char* reason) {
    check_volume_refused("a.nrrd", replaced(nrrd, from, to), {reason});
  };
  refused("type: float", "type: block", "block");
  refused("sizes: 7 4 5", "sizes: 7 4", "three dimensions");
  refused("sizes: 7 4 5", "sizes: 7 0 5", "0 cells");
  refused("sizes: 7 4 5", "sizes: 70 40 50", "140000");
  refused("sizes: 7 4 5", "sizes: 2000000000 2000000000 2000000000", "cells");
  refused("encoding: raw", "encoding: hex", "hex");
  refused("(0.1,0,0)", "(0.1,0.1,0)", "rotated");
  refused("(0.1,0,0)", "(nan,0,0)", "spacing");
  refused("endian: little", "endian: little\ndata file: other.raw", "does not exist");
  refused("NRRD", "NRXD", "first line");
}

TEST_CASE("NRRD: gzip, spacings and integers are read") {
  const TemporaryFolder folder;
  // Python: gzip.compress(bytes([1, 2, 3, 4, 5, 6]), mtime=0)
  const std::string packed(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x63\x64\x62\x66\x61\x65\x03\x00\x24\x77\xf6\x81"
      "\x06\x00\x00\x00",
      26);
  const std::string path =
      folder.file("a.nrrd",
                  "NRRD0004\ntype: unsigned char\ndimension: 3\nsizes: 3 2 1\nspacings: 1 2 3\n"
                  "encoding: gzip\n\n" +
                      packed);
  const io::VolumeFile file = io::read_volume(path);
  CHECK(file.volume.grid().spacing == Vec3{1, 2, 3});
  CHECK(file.volume.at(2, 1, 0) == 6);
}

TEST_CASE("NPY arrays that are no volume are refused") {
  const std::string npy = good_bytes("a.npy");
  check_volume_refused("a.npy", replaced(npy, "(5, 4, 7)", "(5, 28)  "), {"2 dimensions"});
  check_volume_refused("a.npy", replaced(npy, "False", "True "), {"Fortran"});
  check_volume_refused("a.npy", replaced(npy, "(5, 4, 7)", "(9, 9, 9)"), {"729"});
  const TemporaryFolder folder;
  folder.file("a.npy", npy);
  folder.file("a.npy.json", "{broken");
  check_error([&] { io::read_volume(folder.path("a.npy")); }, ErrorKind::input,
              {"a.npy.json", "JSON"});
  folder.file("a.npy.json", "{\"spacing\": [1, 2]}");
  check_error([&] { io::read_volume(folder.path("a.npy")); }, ErrorKind::input,
              {"a.npy.json", "spacing"});
  std::filesystem::remove(folder.path("a.npy.json"));
  CHECK(io::read_volume(folder.path("a.npy")).volume.grid().spacing == Vec3{1, 1, 1});
}

TEST_CASE("A cloud in NPY is no volume, and unknown extensions are named") {
  const TemporaryFolder folder;
  folder.file("a.npy", replaced(good_bytes("a.npy"), "(5, 4, 7)", "(5, 28)  "));
  CHECK_FALSE(io::is_volume_file(folder.path("a.npy")));
  check_error([&] { io::read_volume(folder.path("a.npy")); }, ErrorKind::input,
              {"a.npy", "2 dimensions is not a volume", "estimate its density"});
  CHECK_FALSE(io::is_volume_file(folder.path("missing.vti")));
  check_error([] { io::volume_format_for("a.xyz"); }, ErrorKind::usage,
              {"a.xyz", ".vti", "skde eval"});
  check_error([] { io::volume_format_for("a.zzz"); }, ErrorKind::usage, {"a.zzz", ".vti", ".nc"});
  check_error([] { io::volume_format_for("a", "nrd"); }, ErrorKind::usage, {"'nrrd'"});
  check_error([] { io::read_volume("/nowhere/a.vti"); }, ErrorKind::input, {"/nowhere/a.vti"});
}
