// NRRD files as written by teem and other programs.

#include <fmt/core.h>

#include "io/reader_support.hpp"
#include "io/volume_support.hpp"
#include "system/host_memory.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Reads a file of 3 x 2 x 1 bytes 1 to 6 with these additional header entries.
io::VolumeFile read_bytes_with(const std::string& entries,
                               const std::string& data = "\1\2\3\4\5\6") {
  const TemporaryFolder folder;
  return io::read_volume(folder.file(
      "a.nrrd", "NRRD0005\ntype: uchar\ndimension: 3\nsizes: 3 2 1\n" + entries + "\n" + data));
}

void check_refused_with(const std::string& entries, const std::string& data, const char* reason) {
  INFO(entries);
  check_error([&] { read_bytes_with(entries, data); }, ErrorKind::input, {"a.nrrd", reason});
}

const std::string kRaw = "encoding: raw\n", kSix = "\1\2\3\4\5\6";
// Python: bz2.compress(bytes([1, 2, 3, 4, 5, 6]))
const std::string kSixByBzip2(
    "\x42\x5a\x68\x39\x31\x41\x59\x26\x53\x59\xa6\x19\x2c\x5a\x00\x00\x00\x40\x00\x3f\x00\x20\x00"
    "\x21"
    "\x80\x0c\x03\x27\x2e\xe2\xee\x48\xa7\x0a\x12\x14\xc3\x25\x8b\x40",
    40);

}  // namespace

TEST_CASE("NRRD: axis mins are faces of cells or nodes, as the centerings say") {
  const auto first = [](const std::string& entries) {
    const io::VolumeFile file = read_bytes_with(kRaw + entries);
    CHECK(file.placed);
    CHECK(file.volume.grid().spacing == Vec3{2, 4, 6});
    return file.volume.grid().first_centre();
  };
  const std::string mins = "spacings: 2 4 6\naxis mins: 10 20 30\n";
  CHECK(first(mins) == Vec3{11, 22, 33});
  CHECK(first(mins + "centerings: cell cell cell\n") == Vec3{11, 22, 33});
  CHECK(first(mins + "centers: node cell node\n") == Vec3{10, 22, 30});
  const std::string ends = "axismins: 10 20 30\naxis maxs: ";
  CHECK(first(ends + "16 28 36\n") == Vec3{11, 22, 33});
  CHECK(first(ends + "14 28 36\ncenterings: node cell cell\n") == Vec3{10, 22, 33});
}

TEST_CASE("NRRD: words of the header are read in capitals as well") {
  const TemporaryFolder folder;
  const auto first_value = [&](const std::string& words, const std::string& data) {
    return io::read_volume(folder.file("a.nrrd", "NRRD0004\ndimension: 3\nsizes: 1 1 1\n" + words +
                                                     "\n" + data))
        .volume.at(0, 0, 0);
  };
  const std::string half("\x3f\0\0\0", 4), two("\0\1", 2);
  CHECK(first_value("type: FLOAT\nencoding: RAW\nendian: Big\n", half) == 0.5);
  CHECK(first_value("type: Unsigned Short\nencoding: raw\nendian: BIG\n", two) == 1);
  CHECK(first_value("type: uint16\nencoding: raw\nendian: Little\n", two) == 256);
  const std::string mins = kRaw + "spacings: 2 4 6\naxis mins: 10 20 30\n";
  CHECK(read_bytes_with(mins + "centerings: Node NODE cell\n").volume.grid().first_centre() ==
        Vec3{10, 20, 33});
}

TEST_CASE("NRRD: the space is the same in capitals") {
  const std::string directions = "space directions: (1,0,0) (0,1,0) (0,0,1)\n";
  CHECK(read_bytes_with(kRaw + "space: Right-Anterior-Superior\n" + directions).space ==
        "right-anterior-superior");
}

TEST_CASE("NRRD: the order of bytes must be told where it matters") {
  const TemporaryFolder folder;
  const auto file = [&](const std::string& words) {
    return folder.file("a.nrrd", "NRRD0004\ndimension: 3\nsizes: 1 1 1\n" + words + "\n1 ");
  };
  for (const auto& [endian, reason] : std::vector<std::pair<std::string, std::string>>{
           {"", "does not state the 'endian'"},
           {"endian: middle\n", "must be 'little' or 'big'; got 'middle'"}}) {
    const std::string path = file("type: short\nencoding: raw\n" + endian);
    check_error([&] { io::read_volume(path); }, ErrorKind::input,
                {"a.nrrd", reason, "'endian: big'"});
    CHECK(io::read_volume_head(path).grid.cells() == 1);
    CHECK(io::read_volume(file("type: short\nencoding: text\n" + endian)).volume.at(0, 0, 0) == 1);
  }
}

TEST_CASE("NRRD: one spacing that is not told is not 1, nor makes the others 1") {
  const auto spacing = [](const std::string& entries) {
    return read_bytes_with(kRaw + entries).volume.grid().spacing;
  };
  check_refused_with(kRaw + "spacings: 2 nan 4\n", kSix, "spacing of some axes");
  check_refused_with(kRaw + "axis mins: 0 0 0\naxis maxs: 6 nan 6\n", kSix, "spacing of some");
  const std::string ends = "axis mins: 0 0 0\naxis maxs: 6 8 6\n";
  CHECK(spacing("spacings: 2 nan 5\n" + ends) == Vec3{2, 4, 5});
  CHECK(spacing("spacings: nan nan nan\n") == Vec3{1, 1, 1});
  CHECK(spacing("spacings: 2 nan 4\nspace directions: (3,0,0) (0,3,0) (0,0,3)\n") == Vec3{3, 3, 3});
  CHECK(spacing("axis mins: 0 0 6\naxis maxs: 4 8 6\ncenterings: node node node\n") ==
        Vec3{2, 8, 1});
}

TEST_CASE("NRRD: sizes that are not integers are refused") {
  const TemporaryFolder folder;
  for (const char* const sizes : {"5.5 3 4", "nan 3 4"}) {
    const std::string path =
        folder.file("a.nrrd", fmt::format("NRRD0004\ntype: uchar\ndimension: 3\nsizes: {}\n"
                                          "encoding: raw\n\n{}",
                                          sizes, std::string(60, 'x')));
    check_error([&] { io::read_volume_head(path); }, ErrorKind::input,
                {"a.nrrd", sizes, "must be three integers"});
  }
}

TEST_CASE("NRRD: axes downwards and in another order end up along x, y and z") {
  const io::VolumeFile down =
      read_bytes_with(kRaw +
                      "space dimension: 3\nspace directions: (-2,0,0) (0,4,0) (0,0,6)\n"
                      "space origin: (10,20,30)\n");
  CHECK(down.volume.grid().first_centre() == Vec3{6, 20, 30});
  CHECK(down.volume.grid().spacing == Vec3{2, 4, 6});
  CHECK(down.volume.at(0, 0, 0) == 3);
  CHECK(down.volume.at(2, 1, 0) == 4);
  const io::VolumeFile swapped = read_bytes_with(
      kRaw + "space: LPS\nspace directions: (0,-2,0) (0,0,4) (6,0,0)\nspace origin: (10,20,30)\n");
  CHECK(swapped.volume.grid().dims == std::array<std::int64_t, 3>{1, 3, 2});
  CHECK(swapped.volume.grid().first_centre() == Vec3{10, 16, 30});
  CHECK(swapped.volume.at(0, 2, 0) == 1);
  CHECK(swapped.volume.at(0, 0, 1) == 6);
  check_refused_with(kRaw + "space directions: (1,0,0) (0,1,0) (0,2,0)\n", kSix, "same direction");
}

TEST_CASE("NRRD: the units of the axes are those of the volume where they are the same") {
  const auto units = [](const std::string& entries) {
    return read_bytes_with(kRaw + entries).metadata.units;
  };
  const std::string space = "space: RAS\nspace directions: (1,0,0) (0,1,0) (0,0,1)\n";
  CHECK(units(space + "space units: \"mm\" \"mm\" \"mm\"\n") == "mm");
  CHECK(units(space + "space units: \"mm\" \"mm\" \"s\"\n").empty());
  CHECK(units(space + "space units: \"\" \"\" \"\"\n").empty());
  CHECK(units(space + "space units: \"mm\" \"mm\n").empty());
  CHECK(units("units: \"light years\" \"light years\" \"light years\"\n") == "light years");
  CHECK(units(space + "space units: \"mm\" \"mm\" \"mm\"\nunits:=km\n") == "km");
  CHECK(units(space).empty());
}

TEST_CASE("NRRD: ascii and bzip2 are read, and what is left over is refused") {
  for (const auto& [entries, data] : std::vector<std::pair<std::string, std::string>>{
           {"encoding: ascii\n", "1 2 3\n4, 5 6\n"}, {"encoding: bz2\n", kSixByBzip2}}) {
    INFO(entries);
    const Volume volume = read_bytes_with(entries, data).volume;
    CHECK(volume.at(0, 0, 0) == 1);
    CHECK(volume.at(2, 1, 0) == 6);
  }
  check_refused_with("encoding: ascii\n", "1 2 3 4 5", "5 numbers for its 6");
  check_refused_with("encoding: ascii\n", "1 2 3 4 5 6 7", "more numbers");
  check_refused_with("encoding: bzip2\n", kSixByBzip2 + "x", "compressed data");
  check_refused_with("encoding: bzip2\n", kSixByBzip2.substr(0, 39), "end early");
  check_refused_with(kRaw, kSix + "x", "has 1 bytes after");
}

TEST_CASE("NRRD: bytes and lines before the values are passed over") {
  const auto corner = [](const std::string& entries, const std::string& data) {
    return read_bytes_with(entries, data).volume.at(0, 0, 0);
  };
  CHECK(corner(kRaw + "byte skip: 2\n", "ab" + kSix) == 1);
  CHECK(corner(kRaw + "byteskip: -1\n", "any\nlength" + kSix) == 1);
  CHECK(corner(kRaw + "line skip: 2\nbyte skip: 1\n", "one\ntwo\n-" + kSix) == 1);
  CHECK(corner("encoding: text\nlineskip: 1\n", "9 9 9\n1 2 3 4 5 6") == 1);
  check_refused_with(kRaw + "byte skip: 7\n", kSix, "ends before its values");
  check_refused_with(kRaw + "line skip: 3\n", "a\nb", "ends before its values");
  check_refused_with(kRaw + "byte skip: -2\n", kSix, "'byte skip'");
  check_refused_with(kRaw + "byte skip: 1.5\n", kSix, "'byte skip'");
  check_refused_with("encoding: ascii\nbyte skip: -1\n", "1 2 3 4 5 6", "'byte skip'");
}

TEST_CASE("NRRD: a header may have its values in a file beside it, and nowhere else") {
  const TemporaryFolder folder;
  folder.file("a.raw", kSix);
  const auto head = [&](const std::string& data_file) {
    return folder.file("a.nhdr", "NRRD0004\ntype: uchar\ndimension: 3\nsizes: 3 2 1\n" + kRaw +
                                     "space origin: (1,2,3)\nspace directions: (1,0,0) (0,1,0) "
                                     "(0,0,1)\ndata file: " +
                                     data_file + "\n");
  };
  CHECK(io::is_volume_file(head("a.raw")));
  CHECK(io::read_volume(head("a.raw")).volume.at(2, 1, 0) == 6);
  CHECK(io::read_volume(head("./a.raw")).volume.grid().first_centre() == Vec3{1, 2, 3});
  CHECK(io::read_volume_head(head("none.raw")).grid.dims[0] == 3);
  const auto refused = [&](const std::string& data_file, const char* reason) {
    check_error([&] { io::read_volume(head(data_file)); }, ErrorKind::input, {"a.nhdr", reason});
  };
  refused("none.raw", "does not exist");
  refused("/etc/hostname", "another folder");
  refused("../a.raw", "another folder");
  refused("LIST", "several files");
  refused("a%d.raw 1 3 1", "several files");
  check_error([] { io::volume_format_for("a.nhdr"); }, ErrorKind::usage, {".nrrd"});
}

TEST_CASE("A volume without coordinates says so") {
  CHECK_FALSE(read_bytes_with(kRaw).placed);
  CHECK_FALSE(read_bytes_with(kRaw + "spacings: 1 2 3\n").placed);
  CHECK_FALSE(read_bytes_with(kRaw + "axis mins: nan 2 3\n").placed);
  CHECK(read_bytes_with(kRaw + "axis mins: 1 2 3\n").placed);
}

TEST_CASE("A packed volume takes memory for what is unpacked, not for what is promised") {
  const TemporaryFolder folder;
  // Python: gzip.compress(bytes([1, 2, 3, 4, 5, 6]), mtime=0)
  const std::string gzip(
      "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\xff\x63\x64\x62\x66\x61\x65\x03\x00\x24\x77\xf6\x81"
      "\x06\x00\x00\x00",
      26);
  const std::int64_t before = peak_memory();
  for (const auto& [encoding, data] :
       std::vector<std::pair<std::string, std::string>>{{"gzip", gzip}, {"bzip2", kSixByBzip2}}) {
    std::string file =
        "NRRD0004\ntype: float\ndimension: 3\nsizes: 900 900 900\nendian: little\nencoding: ";
    file.append(encoding).append("\n\n").append(data);
    const std::string path = folder.file("a.nrrd", file);
    check_error([&] { io::read_volume(path); }, ErrorKind::input, {"a.nrrd", "truncated"});
  }
  CHECK(peak_memory() - before < std::int64_t{100} << 20);
  // Concatenated gzip members form one stream.
  CHECK(read_bytes_with("encoding: gz\n", gzip).volume.at(2, 1, 0) == 6);
  check_refused_with("encoding: gz\n", gzip + gzip, "has bytes after");
  check_refused_with("encoding: gz\n", gzip + "x", "compressed data");
}
