// Files of .splat: what their roundings keep, known bytes, and hostile files.

#include "io/points/splats/splat_format_files.hpp"

#include <limits>

#include "io/text/text_file.hpp"
#include "splat_comparison.hpp"
#include "support/cases/random_splats.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

namespace skde::test {
namespace {

std::string record_bytes(const io::SplatCloud& splats) {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.splat");
  io::write_splat_records(path, splats, quiet);
  return io::read_text(path);
}

void check_records(const io::SplatCloud& splats) {
  const std::string bytes = record_bytes(splats);
  REQUIRE(bytes.size() == 32 * splats.size());
  const io::SplatCloud again = splats_of(io::read_splat_records, bytes);
  CHECK(again.bands == 0);
  CHECK(again.harmonics.empty());
  for (std::size_t k = 0; k < splats.xyz.size(); ++k)
    REQUIRE(again.xyz[k] == double{static_cast<float>(splats.xyz[k])});
  // Scales are floats; their logarithms are rounded once more.
  for (std::size_t k = 0; k < splats.log_scales.size(); ++k)
    REQUIRE(std::abs(double{again.log_scales[k]} - double{splats.log_scales[k]}) <=
            0x1p-24 * (2 + std::abs(double{splats.log_scales[k]})));
  CHECK(largest_opacity_difference(splats.opacities, again.opacities) <= 0.5 / 255 + 1e-6);
  const float outermost = 0.5F / 0.2820948F;
  CHECK(largest_difference(clamped(splats.colours, -outermost, outermost), again.colours) <=
        0.5 / (255 * 0.2820948) + 1e-6);
  // Parts are off by at most 1/256, or 1/128 where they are near 1, as no byte is 256. The
  // quaternion is off by at most 1/64 then, and by as much again once it is made a unit one.
  CHECK(largest_rotation_difference(splats, again) <= 2.0 / 64);
}

}  // namespace

TEST_CASE("Splats in .splat are read again within its steps", "[splats]") {
  for (const std::size_t count : {1, 257, 65537}) check_records(random_splats(count, 0, 7));
  for (const double origin : {-1e3, 5e6, 1e30})
    for (const double side : {1e-9, 1.0, 3e5}) check_records(random_splats(64, 0, 9, side, origin));
  io::SplatCloud splats = random_splats(64, 0, 3);
  turn_to_axes(splats);
  for (std::size_t i = 0; i < splats.opacities.size(); ++i)
    splats.opacities[i] = i % 2 == 0 ? 80.0F : -80.0F;
  std::fill(splats.colours.begin(), splats.colours.end(), 1e9F);
  splats.log_scales[0] = 80;
  splats.log_scales[1] = -80;
  check_records(splats);
}

TEST_CASE("Known bytes of .splat are read, and written again", "[splats]") {
  std::string bytes;
  for (const float number : {1.5F, -2e6F, 0.25F, 1.0F, 2.0F, 0.5F}) append_number(bytes, number);
  bytes += std::string("\xff\x80\x00\xcc", 4) + std::string("\x80\xe0\x60\x00", 4);
  const io::SplatCloud splats = splats_of(io::read_splat_records, bytes);
  CHECK(splats.xyz == std::vector<double>{1.5, -2e6, 0.25});
  CHECK(splats.log_scales == std::vector<float>{0, std::log(2.0F), std::log(0.5F)});
  CHECK(splats.colours[0] == Approx(0.5 * 2 * std::sqrt(3.14159265358979)));
  CHECK(splats.colours[1] == Approx((128 / 255.0 - 0.5) * 2 * std::sqrt(3.14159265358979)));
  CHECK(1 / (1 + std::exp(-double{splats.opacities[0]})) == Approx(0.8));
  const double norm = std::sqrt(0.75 * 0.75 + 0.25 * 0.25 + 1);
  CHECK(splats.rotations[0] == 0);
  CHECK(splats.rotations[1] == Approx(0.75 / norm));
  CHECK(splats.rotations[2] == Approx(-0.25 / norm));
  CHECK(splats.rotations[3] == Approx(-1 / norm));
  CHECK(record_bytes(splats).substr(0, 28) == bytes.substr(0, 28));
  // Bytes of no rotation are read as none.
  bytes.replace(28, 4, "\x80\x80\x80\x80");
  CHECK(splats_of(io::read_splat_records, bytes).rotations == std::vector<float>{1, 0, 0, 0});
}

TEST_CASE("Hostile .splat is refused or left to the caller", "[splats]") {
  const std::string bytes = record_bytes(random_splats(3, 0, 1));
  for (std::size_t size = 0; size <= bytes.size(); ++size)
    REQUIRE(refusal(io::read_splat_records, bytes.substr(0, size)).empty() ==
            (size % 32 == 0 && size > 0));
  CHECK_THAT(refusal(io::read_splat_records, ""), ContainsSubstring("holds no splats"));
  CHECK_THAT(refusal(io::read_splat_records, bytes.substr(1)),
             ContainsSubstring("95 bytes, no multiple"));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::string spoilt = with_number(with_number(bytes, 0, nan), 12, -1.0F);
  const io::SplatCloud splats = splats_of(io::read_splat_records, spoilt);
  CHECK(std::isnan(splats.xyz[0]));
  CHECK(std::isnan(splats.log_scales[0]));
  CHECK(splats_of(io::read_splat_records, with_number(bytes, 12, 0.0F)).log_scales[0] ==
        -std::numeric_limits<float>::infinity());
}

TEST_CASE("What no float holds is not written to .splat", "[splats]") {
  const TemporaryFolder folder;
  const auto problem = [&](auto&& spoil) {
    io::SplatCloud splats = random_splats(9, 0, 3);
    spoil(splats);
    const Error error =
        thrown_error([&] { io::write_splat_records(folder.path("a.splat"), splats, quiet); });
    CHECK(error.kind() == ErrorKind::input);
    CHECK(folder.names().empty());
    return error;
  };
  CHECK(says(problem([](auto& s) { s.xyz[4] = -1e39; }), "splat 2: the coordinate -1e+39"));
  CHECK(says(problem([](auto& s) { s.log_scales[8] = 89; }), "splat 3: the scale 4.4"));
  CHECK(says(problem([](auto& s) { s.log_scales[0] = -200; }), "splat 1: the scale 1.3"));
}

}  // namespace skde::test
