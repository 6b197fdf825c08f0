// Compressed PLY: what its roundings keep, known bytes, and hostile files.

#include "io/points/splats/splat_format_files.hpp"

#include <fmt/core.h>

#include <numbers>

#include "io/points/splats/splat_formats.hpp"
#include "io/text/text_file.hpp"
#include "splat_comparison.hpp"
#include "support/cases/random_splats.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

namespace skde::test {
namespace {

std::string compressed_bytes(const io::SplatCloud& splats) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.compressed.ply");
  io::write_compressed_ply(path, splats, quiet);
  return io::read_text(path);
}

/// Checks that (N,3) numbers are off by at most half a step of their range in each chunk. The ends
/// of the range are rounded outwards to float, and what is read may be a float (`rounding`).
template <class T>
void check_chunks(const std::vector<T>& before, const std::vector<T>& after,
                  const std::array<double, 3>& steps, double rounding) {
  REQUIRE(before.size() == after.size());
  const std::size_t count = before.size() / 3;
  for (std::size_t first = 0; first < count; first += 256)
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t end = std::min(count, first + 256);
      double least = before[3 * first + axis], most = least, size = 0, worst = 0;
      for (std::size_t i = first; i < end; ++i) {
        const double value = before[3 * i + axis];
        least = std::min(least, value);
        most = std::max(most, value);
        size = std::max(size, std::abs(value));
        worst = std::max(worst, std::abs(value - double{after[3 * i + axis]}));
      }
      const double range = most - least + 2 * 0x1p-23 * size;
      REQUIRE(worst <= range / (2 * steps[axis]) + rounding * size + 1e-30);
    }
}

void check_compressed(const io::SplatCloud& splats) {
  const io::SplatCloud again = splats_of(io::read_compressed_ply, compressed_bytes(splats));
  REQUIRE(again.size() == splats.size());
  CHECK(again.bands == splats.bands);
  const double of_double = 0x1p-50, of_float = 0x1p-23;
  check_chunks(splats.xyz, again.xyz, {2047, 1023, 2047}, of_double);
  check_chunks(splats.log_scales, again.log_scales, {2047, 1023, 2047}, of_float);
  // Ranges of colours are rounded where a colour is about one half.
  std::vector<double> before, after;
  for (const float colour : splats.colours) before.push_back(0.5 + 0.28209479177387814 * colour);
  for (const float colour : again.colours) after.push_back(0.5 + 0.28209479177387814 * colour);
  check_chunks(before, after, {255, 255, 255}, of_float);
  CHECK(largest_opacity_difference(splats.opacities, again.opacities) <= 0.5 / 255 + 1e-6);
  const double e = 0.5 * std::numbers::sqrt2 / 1023 + 1e-7;
  CHECK(largest_rotation_difference(splats, again) <= smallest_three_bound(e));
  // Bytes stand for the middle of a step, but the outermost for the ends.
  const std::vector<float> kept = clamped(splats.harmonics, -4, 4);
  REQUIRE(kept.size() == again.harmonics.size());
  for (std::size_t k = 0; k < kept.size(); ++k)
    REQUIRE(std::abs(kept[k] - again.harmonics[k]) <=
            (std::abs(kept[k]) >= 4 - 1.0F / 32 ? 1.0F / 32 : 1.0F / 64));
}

/// A file of one splat, as an encoder of its own would write it.
std::string known_compressed(bool colours, bool harmonics) {
  std::string bytes = "ply\nformat binary_little_endian 1.0\ncomment known\nelement chunk 1\n";
  for (const char* const kind : {"", "scale_"})
    for (const char* const end : {"min_", "max_"})
      for (const char axis : {'x', 'y', 'z'})
        bytes += fmt::format("property float {}{}{}\n", end, kind, axis);
  for (const char* const end : {"min_", "max_"})
    for (const char colour : {'r', 'g', 'b'})
      if (colours) bytes += fmt::format("property float {}{}\n", end, colour);
  bytes += "element vertex 1\n";
  for (const char* const name : {"position", "rotation", "scale", "color"})
    bytes += fmt::format("property uint packed_{}\n", name);
  if (harmonics) bytes += "element sh 1\n";
  for (int k = 0; k < (harmonics ? 9 : 0); ++k)
    bytes += fmt::format("property uchar f_rest_{}\n", k);
  bytes += "end_header\n";
  for (const float end : {0.0F, -10.0F, 5.0F, 2047.0F, 1013.0F, 2052.0F}) append_number(bytes, end);
  for (const float end : {-5.0F, -5.0F, -5.0F, 2042.0F, 1018.0F, 2042.0F})
    append_number(bytes, end);
  for (const float end : {-1.0F, 0.0F, 0.5F, 1.55F, 2.55F, 0.5F})
    if (colours) append_number(bytes, end);
  append_number(bytes, 1000U << 21 | 500U << 11 | 7U);
  append_number(bytes, 1U << 30 | 0U << 20 | 1023U << 10 | 512U);
  append_number(bytes, 3U << 21 | 2U << 11 | 1U);
  append_number(bytes, 100U << 24 | 20U << 16 | 255U << 8 | 51U);
  if (harmonics) bytes += std::string("\x00\xff\x80\x7f\x40\xc0\x01\xfe\x10", 9);
  return bytes;
}

}  // namespace

TEST_CASE("Splats in compressed PLY are read again within its steps", "[splats]") {
  for (int bands = 0; bands <= 3; ++bands)
    for (const std::size_t count : {1, 2, 256, 257, 1000})
      check_compressed(random_splats(count, bands, 7));
  check_compressed(random_splats(65537, 1, 8));
  for (const double origin : {-1e3, 5e6, 1e30})
    for (const double side : {1e-9, 1.0, 3e5})
      check_compressed(random_splats(300, 0, 9, side, origin));
}

TEST_CASE("Rotations near every axis and outermost values are kept in compressed PLY", "[splats]") {
  io::SplatCloud splats = random_splats(600, 3, 3);
  turn_to_axes(splats);
  for (std::size_t i = 0; i < splats.opacities.size(); ++i)
    splats.opacities[i] = i % 2 == 0 ? 80.0F : -80.0F;
  for (std::size_t k = 0; k < splats.harmonics.size(); k += 2)
    splats.harmonics[k] = k % 4 == 0 ? 1e9F : -1e9F;
  splats.log_scales[0] = -80;
  splats.colours[1] = 1e6F;
  check_compressed(splats);
  std::fill(splats.xyz.begin(), splats.xyz.end(), 0.1);
  check_compressed(splats);
}

TEST_CASE("Known bytes of compressed PLY are read", "[splats]") {
  for (const bool colours : {false, true})
    for (const bool harmonics : {false, true}) {
      const io::SplatCloud splats =
          splats_of(io::read_compressed_ply, known_compressed(colours, harmonics));
      REQUIRE(splats.size() == 1);
      CHECK(splats.xyz[0] == Approx(1000));
      CHECK(splats.xyz[1] == Approx(490));
      CHECK(splats.xyz[2] == Approx(12));
      CHECK(splats.log_scales[0] == Approx(-2));
      CHECK(splats.log_scales[1] == Approx(-3));
      CHECK(splats.log_scales[2] == Approx(-4));
      // The largest part is x, of index 1 among w, x, y and z: w is -1/sqrt(2), y 1/sqrt(2).
      const double root = std::sqrt(0.5);
      CHECK(splats.rotations[0] == Approx(-root).margin(1e-6));
      CHECK(splats.rotations[1] == Approx(0).margin(1e-6));
      CHECK(splats.rotations[2] == Approx(root).margin(1e-6));
      CHECK(splats.rotations[3] == Approx((512 / 1023.0 - 0.5) * std::sqrt(2)).margin(1e-6));
      const double unit = 2 * std::sqrt(std::numbers::pi);
      CHECK(splats.colours[0] == Approx(((colours ? 0 : 100 / 255.0) - 0.5) * unit));
      CHECK(splats.colours[1] == Approx(((colours ? 0.2 : 20 / 255.0) - 0.5) * unit));
      CHECK(splats.colours[2] == Approx(((colours ? 0.5 : 1) - 0.5) * unit).margin(1e-6));
      CHECK(1 / (1 + std::exp(-double{splats.opacities[0]})) == Approx(0.2));
      CHECK(splats.bands == (harmonics ? 1 : 0));
      if (harmonics)
        CHECK(splats.harmonics == std::vector<float>{-4, 4, 1.0F / 64, -1.0F / 64, -2 + 1.0F / 64,
                                                     2 + 1.0F / 64, -4 + 3.0F / 64, 4 - 3.0F / 64,
                                                     -3.5F + 1.0F / 64});
    }
}

TEST_CASE("Compressed PLY is recognised by its header, whatever its name", "[splats]") {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.ply", known_compressed(true, true));
  CHECK(io::read_splats(io::BufferedSource(io::open_source(path))).xyz[0] == Approx(1000));
  const io::SplatCloud splats = random_splats(5, 4, 1);
  io::write_splats(folder.path("b.compressed.ply"), splats, quiet);
  const std::string bytes = io::read_text(folder.path("b.compressed.ply"));
  CHECK(io::is_compressed_ply(bytes));
  CHECK(splats_of(io::read_compressed_ply, bytes).bands == 3);
  io::write_splats(folder.path("c.ply"), splats, quiet);
  CHECK_FALSE(io::is_compressed_ply(io::read_text(folder.path("c.ply"))));
}

TEST_CASE("Truncated compressed PLY is refused at every byte", "[splats]") {
  check_truncated(io::read_compressed_ply, known_compressed(true, true));
  check_truncated(io::read_compressed_ply, known_compressed(false, false));
}

TEST_CASE("Lying headers of compressed PLY are refused", "[splats]") {
  const std::string file = known_compressed(true, true);
  const auto says = [&](const std::string& old, const std::string& now, const char* part) {
    std::string bytes = file;
    for (std::size_t at = bytes.find(old); at != bytes.npos; at = bytes.find(old, at + now.size()))
      bytes.replace(at, old.size(), now);
    REQUIRE(bytes != file);
    CHECK_THAT(refusal(io::read_compressed_ply, bytes), ContainsSubstring(part));
  };
  says("binary_little_endian", "binary_big_endian", "format is not binary_little_endian");
  says("element vertex 1\n", "element vertex 257\n", "257 splats do not lie in 1 chunks");
  says("element vertex 1\n", "element vertex 0\n", "0 splats do not lie in 1 chunks");
  says("element vertex 1\n", "element vertex 18446744073709551615\n", "do not lie in 1 chunks");
  says("element chunk 1\n", "element chunk 2\n", "1 splats do not lie in 2 chunks");
  says("element sh 1\n", "element sh 2\n", "has 9 properties and 2 rows");
  says("property uchar f_rest_8\n", "", "has 8 properties");
  says("property uchar f_rest_8\n", "property uchar f_rest_7\n", "no property f_rest_8");
  says("uchar f_rest_3", "char f_rest_3", "no property f_rest_3");
  says("float max_y", "double max_y", "no property max_y");
  says("float max_b", "float max_c", "no property max_b");
  says("uint packed_scale", "int packed_scale", "no property packed_scale");
  says("element sh 1\n", "element other 1\n", "its elements are not chunk, vertex");
  says("uint packed_color", "list uchar uint packed_color", "without lists");
  // 4e9 splats in a small file, whose chunks agree.
  std::string bytes = file;
  bytes.replace(bytes.find("chunk 1\n"), 7, "chunk 15625000");
  bytes.replace(bytes.find("vertex 1\n"), 8, "vertex 4000000000");
  bytes.replace(bytes.find("sh 1\n"), 4, "sh 4000000000");
  CHECK_THAT(refusal(io::read_compressed_ply, bytes),
             ContainsSubstring("declares 4000000000 splats"));
}

TEST_CASE("What no float holds is not written to compressed PLY", "[splats]") {
  const TemporaryFolder folder;
  io::SplatCloud splats = random_splats(9, 0, 3);
  splats.xyz[4] = -1e39;
  const Error error = thrown_error(
      [&] { io::write_compressed_ply(folder.path("a.compressed.ply"), splats, quiet); });
  CHECK(error.kind() == ErrorKind::input);
  CHECK(says(error, "splat 2: y is -1e+39"));
  CHECK(folder.names().empty());
}

}  // namespace skde::test
