// The advice on how to mend an input is separate from the description of the problem.

#include <fmt/core.h>

#include <tuple>

#include "io/points/point_writer.hpp"
#include "io/reader_support.hpp"
#include "io/volume_support.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::test;

namespace {

void check_advice(const Error& error, ErrorKind kind, const std::string& suggestion) {
  INFO(error.what());
  CHECK(error.kind() == kind);
  CHECK(error.suggestion() == suggestion);
  CHECK(error.what() == error.problem() + "; " + suggestion);
}

}  // namespace

TEST_CASE("What mends a cloud is said apart from the problem") {
  const std::string npy_lead("\x93NUMPY\x01\x00\x7c\x00", 10);
  const auto npy = [&](std::string header) {
    header.resize(0x7b, ' ');
    return npy_lead + header + '\n';
  };
  using Row = std::tuple<std::string, std::string, std::string>;
  for (const auto& [name, bytes, suggestion] : std::vector<Row>{
           {"a.pcd",
            "# .PCD v0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\n"
            "DATA binary_compressed\n",
            "fetch it again"},
           {"a.npy", npy("{'descr': '<c8', 'fortran_order': False, 'shape': (4, 3), }"),
            "save the array as float32 or float64"},
           {"a.npy",
            npy("{'descr': [('a', [('x', '<f4')])], 'fortran_order': False, 'shape': (4,), }"),
            "save its numbers as an array of shape (N, 3) or wider"},
           {"a.npy", npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 9999), }"),
            "save its transpose"},
           {"a.xyz", "1 2 3\n1 2\n", "correct the row"},
           {"a.xyz", "x y z\n1 2\n",
            "correct the row or the header, or skip lines before it with `skip=N`"},
           {"a.xyz", "# nothing\n", "check the file"},
           {"a.xyz", std::string("\0\1\2", 3), "save it as plain text in UTF-8"},
           {"a.bin", std::string("\0\1\2", 3), "see 'skde formats' for the formats that it reads"}})
    check_advice(thrown_error([&, name = name, bytes = bytes] { read_bytes(name, bytes); }),
                 ErrorKind::input, suggestion);
}

TEST_CASE("What mends a path is said apart from the problem") {
  const TemporaryFolder folder;
  check_advice(thrown_error([&] { io::open_source(folder.path("none")); }), ErrorKind::input,
               "check the path and the permissions");
  check_advice(thrown_error([&] { io::open_source(folder.path("")); }), ErrorKind::input,
               "name the files in it");
  check_advice(thrown_error([&] { io::PointWriter(folder.path("a.las"), 1); }), ErrorKind::usage,
               "use one of these extensions");
}

TEST_CASE("What mends a volume is said apart from the problem") {
  const TemporaryFolder folder;
  const auto vti = [](std::string_view rest) {
    return fmt::format("<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\"{}", rest);
  };
  using Row = std::tuple<std::string, std::string, std::string>;
  for (const auto& [name, bytes, suggestion] : std::vector<Row>{
           {"a.vti",
            vti(" compressor=\"vtkBrotliCompressor\">\n<AppendedData encoding=\"raw\">\n_"),
            "save it uncompressed or with zlib"},
           {"a.vti", vti("/>\n"), "write it with one process ('vtkXMLImageDataWriter')"},
           {"a.nrrd", "NRRD0004\ntype: float\ndimension: 3\nsizes: 1 1 1\nencoding: hex\n\n",
            "save it as raw, ascii, gzip or bzip2"},
           {"a.nrrd",
            "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 1 1 1\nencoding: raw\ndata file: LIST\n\n",
            "join them with the program that wrote them ('unu save -f nrrd')"}}) {
    const std::string path = folder.file(name, bytes);
    check_advice(thrown_error([&] { io::read_volume(path); }), ErrorKind::input, suggestion);
  }
}

TEST_CASE("A format that this build lacks is unsupported, and can neither be opened nor read") {
  const TemporaryFolder folder;
  for (const io::VolumeFormat& format : io::volume_formats()) {
    INFO(format.name);
    const bool available = format.unavailable.empty();
    CHECK((format.open != nullptr) == available);
    CHECK((format.read != nullptr) == available);
    const std::string path = folder.file(std::string("a").append(format.extension), "no volume");
    CHECK(thrown_error([&] { io::read_volume(path); }).kind() ==
          (available ? ErrorKind::input : ErrorKind::unsupported));
  }
}
