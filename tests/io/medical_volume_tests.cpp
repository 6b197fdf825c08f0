// NIfTI-1 and MetaImage: the bytes that skde writes, and files of other programs.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "io/reader_support.hpp"
#include "io/volume_support.hpp"
#include "system/host_memory.hpp"

using namespace skde;
using namespace skde::test;

namespace {

const std::string kCorpus = SKDE_FUZZ_CORPUS;

std::string written_bytes(const TemporaryFolder& folder, const char* name) {
  const std::string path = folder.path(name);
  DensityMetadata metadata = full_metadata();
  metadata.units = "mm";
  io::volume_format_for(path).write(path, marked_volume<float>(odd_grid({7, 4, 5})), metadata);
  return content_of(path);
}

template <class Number>
Number at(const std::string& bytes, std::size_t position) {
  Number number;
  std::memcpy(&number, bytes.data() + position, sizeof number);
  return number;
}

/// Checks 2 x 2 x 1 cells of size 2 x 3 x 4 with values 0 to 3, x descending from 10.
void check_turned(const io::VolumeFile& file, double first_y, bool y_down) {
  CHECK(file.placed);
  CHECK(file.volume.grid().dims == std::array<std::int64_t, 3>{2, 2, 1});
  CHECK(file.volume.grid().spacing == Vec3{2, 3, 4});
  CHECK(file.volume.grid().first_centre() == Vec3{8, first_y, 30});
  CHECK(file.volume.at(1, y_down ? 1 : 0, 0) < file.volume.at(0, y_down ? 1 : 0, 0));
}

using Quaternion = std::array<double, 4>;  // w, x, y, z

Quaternion product(const Quaternion& p, const Quaternion& q) {
  return {p[0] * q[0] - p[1] * q[1] - p[2] * q[2] - p[3] * q[3],
          p[0] * q[1] + p[1] * q[0] + p[2] * q[3] - p[3] * q[2],
          p[0] * q[2] - p[1] * q[3] + p[2] * q[0] + p[3] * q[1],
          p[0] * q[3] + p[1] * q[2] - p[2] * q[1] + p[3] * q[0]};
}

/// Checks that each of the values 0 to 23, stored as 2 x 3 x 4 with x fastest, lies where `place`
/// maps its indices.
template <class Place>
void check_places(const io::VolumeFile& file, const Place& place) {
  const Grid& grid = file.volume.grid();
  REQUIRE(grid.cells() == 24);
  CHECK(file.placed);
  for (int i = 0; i < 24; ++i) {
    const Vec3 centre = place(Vec3{i % 2 + 0.0, i / 2 % 3 + 0.0, i / 6 + 0.0});
    std::array<std::int64_t, 3> cell{};
    for (int axis = 0; axis < 3; ++axis) {
      const double index = (centre[axis] - grid.first_centre()[axis]) / grid.spacing[axis];
      cell[axis] = std::lround(index);
      CHECK(std::abs(index - std::round(index)) < 1e-4);
      REQUIRE(cell[axis] >= 0);
      REQUIRE(cell[axis] < grid.dims[axis]);
    }
    CHECK(file.volume.at(cell[0], cell[1], cell[2]) == i);
  }
}

void check_bytes_refused(const char* name, const std::string& bytes,
                         std::initializer_list<std::string> fragments) {
  const TemporaryFolder folder;
  const std::string path = folder.file(name, bytes);
  check_error([&] { io::read_volume(path); }, ErrorKind::input, fragments);
}

}  // namespace

TEST_CASE("NIfTI: the header as nifti1.h has it, the place by sform, then the values") {
  const TemporaryFolder folder;
  const std::string bytes = written_bytes(folder, "a.nii");
  CHECK(at<std::int32_t>(bytes, 0) == 348);
  CHECK(bytes.substr(344, 4) == std::string("n+1\0", 4));
  CHECK(at<std::int16_t>(bytes, 40) == 3);
  CHECK(at<std::int16_t>(bytes, 42) == 7);
  CHECK(at<std::int16_t>(bytes, 46) == 5);
  CHECK(at<std::int16_t>(bytes, 48) == 1);
  CHECK(at<std::int16_t>(bytes, 70) == 16);
  CHECK(at<std::int16_t>(bytes, 72) == 32);
  CHECK(bytes[123] == 2);                   // mm
  CHECK(at<std::int16_t>(bytes, 254) > 0);  // sform
  const Vec3 first = odd_grid({7, 4, 5}).first_centre();
  CHECK(at<float>(bytes, 280) == 0.1f);
  CHECK(at<float>(bytes, 280 + 12) == static_cast<float>(first.x));
  CHECK(at<float>(bytes, 280 + 16 + 4) == 0.7f);
  CHECK(at<float>(bytes, 280 + 32 + 12) == static_cast<float>(first.z));
  const auto offset = static_cast<std::size_t>(at<float>(bytes, 108));
  CHECK(offset % 16 == 0);
  CHECK(bytes[348] == 1);  // extensions follow
  CHECK(at<std::int32_t>(bytes, 352) == static_cast<std::int32_t>(offset - 352));
  CHECK(at<std::int32_t>(bytes, 356) == 6);  // a comment
  REQUIRE(bytes.size() == offset + 7 * 4 * 5 * sizeof(float));
  CHECK(at<float>(bytes, offset + 6 * sizeof(float)) == 100);
}

TEST_CASE("NIfTI: quaternions, big endian, slopes and files without place are read") {
  const io::VolumeFile turned = io::read_volume(kCorpus + "/nifti/big_quaternion.nii");
  check_turned(turned, 17, true);
  CHECK(turned.volume.at(1, 1, 0) == 10);
  CHECK(turned.volume.at(0, 0, 0) == 11.5);
  CHECK(turned.metadata.units == "mm");
  const io::VolumeFile bare = io::read_volume(kCorpus + "/nifti/unplaced.nii");
  CHECK_FALSE(bare.placed);
  CHECK(bare.volume.grid().spacing == Vec3{2, 3, 4});
}

TEST_CASE("NIfTI: every quaternion along the axes, of either hand, puts each value in its place") {
  const double half = std::sqrt(0.5);
  std::vector<Quaternion> turns{{1, 0, 0, 0}};
  for (int first = 0; first < 4; ++first) {
    Quaternion one{};
    one[first] = 1;
    turns.push_back(one);
    for (int second = first + 1; second < 4; ++second)
      for (const double sign : {-half, half}) {
        Quaternion two{};
        two[first] = half;
        two[second] = sign;
        turns.push_back(two);
      }
  }
  for (const double b : {-0.5, 0.5})
    for (const double c : {-0.5, 0.5})
      for (const double d : {-0.5, 0.5}) turns.push_back({0.5, b, c, d});
  REQUIRE(turns.size() == 25);
  const TemporaryFolder folder;
  for (const Quaternion& turn : turns)
    for (const double hand : {1.0, -1.0}) {
      INFO(turn[0] << ' ' << turn[1] << ' ' << turn[2] << ' ' << turn[3] << " qfac " << hand);
      std::string bytes(352, '\0');
      const auto put = [&bytes](std::size_t position, auto number) {
        std::memcpy(bytes.data() + position, &number, sizeof number);
      };
      put(0, std::int32_t{348});
      put(40, std::array<std::int16_t, 5>{3, 2, 3, 4, 1});
      put(70, std::array<std::int16_t, 2>{16, 32});
      put(76, std::array{static_cast<float>(hand), 0.5F, 2.0F, 3.0F});
      put(108, 352.0F);
      put(252, std::int16_t{1});  // qform
      put(256, std::array{static_cast<float>(turn[1]), static_cast<float>(turn[2]),
                          static_cast<float>(turn[3]), 10.0F, -20.0F, 30.0F});
      bytes.replace(344, 3, "n+1");
      for (int i = 0; i < 2 * 3 * 4; ++i) {
        bytes.append(4, '\0');
        put(bytes.size() - 4, static_cast<float>(i));
      }
      const Quaternion back{turn[0], -turn[1], -turn[2], -turn[3]};
      check_places(io::read_volume(folder.file("a.nii", bytes)), [&](Vec3 index) {
        const Quaternion v{0, 0.5 * index.x, 2 * index.y, hand * 3 * index.z};
        const Quaternion turned = product(product(turn, v), back);
        return Vec3{10 + turned[1], -20 + turned[2], 30 + turned[3]};
      });
    }
}

TEST_CASE("MetaImage: every order and direction of axes puts each value in its place") {
  const TemporaryFolder folder;
  std::array<int, 3> order{0, 1, 2};
  do
    for (int signs = 0; signs < 8; ++signs) {
      // Line f of the matrix is the direction of the file's axis f.
      std::array<Vec3, 3> lines{};
      std::string matrix;
      for (int f = 0; f < 3; ++f) {
        lines[f][order[f]] = (signs >> f & 1) != 0 ? -1 : 1;
        matrix += fmt::format(" {} {} {}", lines[f].x, lines[f].y, lines[f].z);
      }
      INFO(matrix);
      std::string text =
          "NDims = 3\nDimSize = 2 3 4\nBinaryData = False\nTransformMatrix =" + matrix +
          "\nOffset = 10 -20 30\nElementSpacing = 0.5 2 3\nElementType = MET_FLOAT\n"
          "ElementDataFile = LOCAL\n";
      for (int i = 0; i < 2 * 3 * 4; ++i) text += fmt::format("{} ", i);
      check_places(io::read_volume(folder.file("a.mha", text)), [&](Vec3 index) {
        return Vec3{10, -20, 30} + (0.5 * index.x) * lines[0] + (2 * index.y) * lines[1] +
               (3 * index.z) * lines[2];
      });
    }
  while (std::ranges::next_permutation(order).found);
}

TEST_CASE("NIfTI: a slope or an intercept that is no finite number counts for nothing") {
  const TemporaryFolder folder;
  const std::string good = written_bytes(folder, "a.nii");
  const std::string nan("\0\0\xc0\x7f", 4), infinite("\0\0\x80\x7f", 4), half("\0\0\0\x3f", 4),
      one("\0\0\x80\x3f", 4);
  const auto last_of_row = [&](const std::string& slope, const std::string& intercept) {
    const std::string bytes = std::string(good).replace(112, 8, slope + intercept);
    return io::read_volume(folder.file("b.nii", bytes)).volume.at(6, 0, 0);
  };
  CHECK(last_of_row(half, one) == 51);
  CHECK(last_of_row(half, nan) == 50);
  CHECK(last_of_row(half, infinite) == 50);
  CHECK(last_of_row(nan, one) == 100);
}

TEST_CASE("NIfTI: what is broken or not one volume is refused") {
  const TemporaryFolder folder;
  const std::string good = written_bytes(folder, "a.nii");
  const auto refused = [&](std::size_t position, const std::string& bytes, const char* reason) {
    std::string changed = good;
    changed.replace(position, bytes.size(), bytes);
    check_bytes_refused("a.nii", changed, {"a.nii", reason});
  };
  refused(0, "x", "not a NIfTI-1 signature");
  refused(344, "ni1", "does not exist");
  refused(40, std::string("\x02\0", 2), "three dimensions");
  refused(40, std::string("\4\0\7\0\4\0\5\0\2\0", 10), "2 volumes");
  refused(42, std::string("\0\0", 2), "0 cells");
  refused(70, std::string("\x20\0", 2), "type 32");
  refused(108, std::string("\0\0\0\0", 4), "begin at byte 0");
  refused(352, std::string("\0\0\0\x7f", 4), "extension");
  refused(284, std::string("\0\0\0\x3f", 4), "rotated");
  check_bytes_refused("a.nii", good + "x", {"has 1 bytes after"});
  check_error(
      [&] {
        io::volume_format_for("a.nii").open(folder.path("b.nii"), odd_grid({40000, 1, 1}),
                                            Precision::f32, {});
      },
      ErrorKind::output, {"b.nii", "32767", "dims"});
  CHECK(folder.names() == std::vector<std::string>{"a.nii"});
}

TEST_CASE("MetaImage: the header's lines, then the values") {
  const TemporaryFolder folder;
  const std::string bytes = written_bytes(folder, "a.mha");
  for (const char* const line :
       {"ObjectType = Image\nNDims = 3\n", "\nBinaryDataByteOrderMSB = False\n",
        "\nTransformMatrix = 1 0 0 0 1 0 0 0 1\n", "\nElementSpacing = 0.1 0.7 12.3\n",
        "\nDimSize = 7 4 5\n", "\nskde.kernel = biweight\n", "\nElementType = MET_FLOAT\n"})
    CHECK_THAT(bytes, Catch::Matchers::ContainsSubstring(line));
  const std::size_t offset = bytes.find("ElementDataFile = LOCAL\n") + 24;
  REQUIRE(bytes.size() == offset + 7 * 4 * 5 * sizeof(float));
  CHECK(at<float>(bytes, offset + 6 * sizeof(float)) == 100);
}

TEST_CASE("MetaImage: zlib, text and turned axes are read") {
  for (const char* const name : {"/meta_image/packed.mha", "/meta_image/text.mha"}) {
    INFO(name);
    const io::VolumeFile file = io::read_volume(kCorpus + name);
    check_turned(file, 20, false);
    CHECK(file.volume.at(1, 0, 0) == 0);
    CHECK(file.volume.at(0, 1, 0) == 3);
  }
}

TEST_CASE("MetaImage: what begins with T, t or 1 is true") {
  const TemporaryFolder folder;
  const auto first_value = [&](const std::string& big_endian) {
    const std::string path = folder.file(
        "a.mha", "NDims = 3\nDimSize = 1 1 1\nBinaryData = 1\nBinaryDataByteOrderMSB = " +
                     big_endian + "\nElementType = MET_SHORT\nElementDataFile = Local\n\1\2");
    return io::read_volume(path).volume.at(0, 0, 0);
  };
  for (const char* const yes : {"1", "t", "T", "true", "TRUE"}) CHECK(first_value(yes) == 0x102);
  for (const char* const no : {"0", "f", "False", "no"}) CHECK(first_value(no) == 0x201);
}

TEST_CASE("MetaImage: a slope or an offset of intensities is not passed over") {
  const TemporaryFolder folder;
  const std::string good = written_bytes(folder, "a.mha");
  const auto with = [&](const std::string& lines) {
    return std::string(good).insert(good.find("ElementType"), lines);
  };
  const std::string slope = "ElementToIntensityFunctionSlope = ",
                    offset = "ElementToIntensityFunctionOffset = ";
  check_bytes_refused("a.mha", with(slope + "0.5\n"),
                      {"ElementToIntensityFunctionSlope is 0.5", "Offset is 0", "not apply"});
  check_bytes_refused("a.mha", with(offset + "-1024\n"), {"Slope is 1", "Offset is -1024"});
  check_bytes_refused("a.mha", with(slope + "steep\n"), {"'steep'"});
  const std::string path = folder.file("b.mha", with(slope + "1\n" + offset + "0.0\n"));
  CHECK(io::read_volume(path).volume.at(6, 0, 0) == 100);
}

TEST_CASE("MetaImage: values in a file beside the header are read") {
  const TemporaryFolder folder;
  const std::string good = written_bytes(folder, "a.mha");
  const io::VolumeFile whole = io::read_volume(folder.path("a.mha"));
  const std::size_t end = good.find("LOCAL");
  const std::string head = good.substr(0, end), values = good.substr(end + 6);
  folder.file("a.raw", values);
  folder.file("b.raw", "junk" + values);
  for (const char* const rest : {"a.raw\n", "./a.raw\n"}) {
    const io::VolumeFile file = io::read_volume(folder.file("a.mhd", head + rest));
    CHECK(file.volume.grid() == whole.volume.grid());
    CHECK(file.volume.at(6, 0, 0) == 100);
    CHECK(file.metadata.units == "mm");
  }
  for (const char* const size : {"4", "-1"}) {
    const std::string path =
        folder.file("b.mhd", std::string(head).insert(head.find("ElementType"),
                                                      std::string("HeaderSize = ") + size + '\n') +
                                 "b.raw\n");
    CHECK(io::read_volume(path).volume.at(6, 0, 0) == 100);
    CHECK(io::read_volume_head(path).grid == whole.volume.grid());
  }
  check_error([&] { io::read_volume(folder.file("c.mhd", head + "b.raw\n")); }, ErrorKind::input,
              {"b.raw", "has 4 bytes after"});
}

TEST_CASE("NIfTI: the values of a pair are read from the file beside the header") {
  const TemporaryFolder folder;
  const std::string good = written_bytes(folder, "a.nii");
  const io::VolumeFile whole = io::read_volume(folder.path("a.nii"));
  std::string head = good.substr(0, 348);
  head.replace(344, 4, std::string("ni1\0", 4)).replace(108, 4, std::string(4, '\0'));
  const std::string path = folder.file("a.hdr", head);
  check_error([&] { io::read_volume(path); }, ErrorKind::input,
              {"a.hdr", "'a.img'", "does not exist"});
  folder.file("a.img", good.substr(good.size() - 560));
  const io::VolumeFile file = io::read_volume(path);
  CHECK(file.volume.at(6, 0, 0) == 100);
  CHECK(std::ranges::equal(file.volume.values<float>(), whole.volume.values<float>()));
  CHECK(file.volume.grid().dims == whole.volume.grid().dims);
  CHECK(io::read_volume_head(path).grid == file.volume.grid());
  folder.file("a.img", good.substr(good.size() - 559));
  check_error([&] { io::read_volume(path); }, ErrorKind::input, {"a.img", "only 559 bytes"});
}

TEST_CASE("MetaImage: what is broken or elsewhere is refused, before memory is taken") {
  const TemporaryFolder folder;
  const std::string good = written_bytes(folder, "a.mha");
  const auto refused = [&](const std::string& from, const std::string& to, const char* reason) {
    std::string changed = good;
    changed.replace(changed.find(from), from.size(), to);
    check_bytes_refused("a.mha", changed, {"a.mha", reason});
  };
  refused("LOCAL", "b.raw", "does not exist");
  refused("LOCAL", "/etc/hostname", "another folder");
  refused("LOCAL", "LIST", "several files");
  refused("ElementType", "HeaderSize = -7\nElementType", "HeaderSize");
  refused("NDims = 3", "NDims = 2", "three dimensions");
  refused("MET_FLOAT", "MET_FLOAT_ARRAY", "MET_FLOAT_ARRAY");
  refused("1 0 0 0 1 0 0 0 1", "1 1 0 0 1 0 0 0 1", "rotated");
  refused("0.1 0.7 12.3", "0.1 0.7", "must be 3 numbers");
  refused("DimSize = 7 4 5", "DimSize = 7 4.5 5", "must be 3 integers; got '7 4.5 5'");
  refused("NDims = 3", "NDims", "cannot be parsed");
  check_bytes_refused("a.mha", good + "x", {"has 1 bytes after"});
  check_bytes_refused("a.mha", "NDims = 3\n", {"ends inside its header"});
  const std::int64_t before = peak_memory();
  check_error([] { io::read_volume(kCorpus + "/meta_image/lying.mha"); }, ErrorKind::input,
              {"lying.mha", "truncated"});
  CHECK(peak_memory() - before < std::int64_t{100} << 20);
}
