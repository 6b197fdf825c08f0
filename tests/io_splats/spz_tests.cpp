// Files of .spz: what their roundings keep, known bytes, and hostile files.

#include "io/points/splats/splat_format_files.hpp"

#include <zstd.h>

#include <numbers>

#include "io/points/splats/splat_formats.hpp"
#include "splat_comparison.hpp"
#include "spz_support.hpp"
#include "support/cases/random_splats.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

namespace skde::test {
namespace {

/// Checks that splats are read again within the quantisation that the reference states.
void check_spz(const io::SplatCloud& splats, int version) {
  const io::SplatCloud again = splats_of(io::read_spz, spz_bytes(splats, version));
  REQUIRE(again.size() == splats.size());
  CHECK(again.bands == splats.bands);
  double largest = 0;
  for (const double x : splats.xyz) largest = std::max(largest, std::abs(x));
  // 2^b is the largest power of two, up to 2^30, by which all coordinates have 24 bits.
  const double half_step = std::max(largest / ((1 << 23) - 1), 0x1p-31);
  CHECK(largest_difference(splats.xyz, again.xyz) <= half_step);
  CHECK(largest_difference(clamped(splats.log_scales, -10, 5.9375F), again.log_scales) <= 1.0 / 32);
  CHECK(largest_opacity_difference(splats.opacities, again.opacities) <= 0.5 / 255 + 1e-6);
  const float outermost = 0.5F / 0.15F;
  CHECK(largest_difference(clamped(splats.colours, -outermost, outermost), again.colours) <=
        0.5 / (255 * 0.15) + 1e-6);
  CHECK(largest_difference(clamped(splats.harmonics, -1, 127.0F / 128), again.harmonics) <=
        1.0 / 256);
  if (version > 2) {
    const double e = 0.5 / (511 * std::numbers::sqrt2) + 1e-7;
    CHECK(largest_rotation_difference(splats, again) <= smallest_three_bound(e));
    return;
  }
  // x, y and z are rounded, and w is what they lack. They are unit again where they were too long.
  const double e = 0.5 / 127.5 + 1e-6;
  double worst = 0;
  for (std::size_t i = 0; i < splats.size(); ++i) {
    double dot = 0;
    for (std::size_t k = 0; k < 4; ++k)
      dot += double{splats.rotations[4 * i + k]} * double{again.rotations[4 * i + k]};
    worst = std::max(worst, 1 - std::abs(dot));
  }
  // w^2 is off by at most 2 sqrt(3) e + 3 e^2, and w by the root of that; then 2 (1 - |dot|) is at
  // most the squared distance of the quaternions.
  const double squared = 2 * std::numbers::sqrt3 * e + 3 * e * e;
  CHECK(2 * worst <= 3 * e * e + squared);
}

/// One splat of every version, as an encoder of its own would write it.
struct Known {
  std::string places, opacity{"\x80", 1}, colours{"\x00\x80\xff", 3}, scales{"\xa0\x00\xff", 3};
  std::string rotation, harmonics;
  explicit Known(int version) {
    for (const std::int32_t fixed : {6144, -8192, 1024})  // 1.5, -2 and 0.25 in 4096ths
      for (int k = 0; k < 3; ++k) places += static_cast<char>(fixed >> (8 * k));
    if (version == 2)
      rotation = std::string("\xbf\x40\x7f", 3);
    else
      append_number(rotation, 3U << 30 | 100U << 20 | (512U | 200U) << 10 | 50U);
    for (int k = 0; k < 9; ++k) harmonics += static_cast<char>(128 + 8 * k - 32);
  }
  std::vector<std::string> all() const {
    return {places, opacity, colours, scales, rotation, harmonics};
  }
};

std::string head_of(std::uint32_t version, std::uint32_t count = 1) {
  std::string bytes = "NGSP";
  append_number(bytes, version);
  append_number(bytes, count);
  return bytes + std::string("\x01\x0c\x00", 3);
}

std::string known_file(int version) {
  std::string bytes = head_of(static_cast<std::uint32_t>(version));
  if (version < 4) {
    bytes += '\0';
    for (const std::string& stream : Known(version).all()) bytes += stream;
    return bytes;
  }
  bytes += '\6';
  append_number(bytes, std::uint32_t{32 + 12});
  bytes += std::string(12, '\0');
  for (const std::uint32_t extension : {0xadbe0003U, 4U, 4U}) append_number(bytes, extension);
  std::string streams;
  for (const std::string& stream : Known(version).all()) {
    std::string packed(ZSTD_compressBound(stream.size()), '\0');
    packed.resize(ZSTD_compress(packed.data(), packed.size(), stream.data(), stream.size(), 1));
    append_number(bytes, std::uint64_t{packed.size()});
    append_number(bytes, std::uint64_t{stream.size()});
    streams += packed;
  }
  return bytes + streams;
}

}  // namespace

TEST_CASE("Splats in .spz are read again within its steps", "[splats][spz]") {
  for (const int version : {2, 3, 4})
    for (int bands = 0; bands <= 4; ++bands)
      for (const std::size_t count : {1, 257}) {
        INFO("version " << version << ", " << bands << " bands, " << count << " splats");
        check_spz(random_splats(count, bands, 7), version);
      }
  for (const int version : {2, 3, 4}) check_spz(random_splats(65537, 1, 8), version);
}

TEST_CASE("Splats of every size and place fit .spz, or are refused", "[splats][spz]") {
  for (const double origin : {0.0, 3.0, -1e3, 4e5, 8e6})
    for (const double side : {1e-9, 1e-3, 5.0, 3e5})
      check_spz(random_splats(64, 0, 9, side, origin), 3);
  io::SplatCloud splats = random_splats(64, 1, 1);
  std::fill(splats.xyz.begin(), splats.xyz.end(), 0);
  check_spz(splats, 4);
  splats.xyz[5] = (1 << 23) - 1;
  splats.xyz[6] = 1 - (1 << 23);
  check_spz(splats, 3);
  const TemporaryFolder folder;
  const auto refused = [&] {
    const Error error = thrown_error([&] { io::write_spz(folder.path("a.spz"), splats, quiet); });
    CHECK(error.kind() == ErrorKind::input);
    CHECK(folder.names().empty());
    return std::string(error.what());
  };
  splats.xyz[5] = 1 << 23;
  CHECK_THAT(refused(), ContainsSubstring("splat 2: z is 8388608, beyond 8388607"));
  splats.xyz[5] = 0;
  splats.log_scales[4] = 5.97F;
  CHECK_THAT(refused(), ContainsSubstring("splat 2: its scale exp(5.97"));
  splats.log_scales[4] = 5.96F;
  splats.log_scales[5] = -80;
  check_spz(splats, 3);
}

TEST_CASE("Rotations near every axis are kept in .spz", "[splats][spz]") {
  io::SplatCloud splats = random_splats(64, 0, 3);
  turn_to_axes(splats);
  for (const int version : {2, 3, 4}) check_spz(splats, version);
}

TEST_CASE("Outermost values become the nearest of .spz", "[splats][spz]") {
  io::SplatCloud splats = random_splats(16, 4, 4);
  for (std::size_t i = 0; i < splats.harmonics.size(); ++i)
    splats.harmonics[i] = i % 2 == 0 ? 1e9F : -1e9F;
  for (std::size_t i = 0; i < splats.colours.size(); ++i)
    splats.colours[i] = i % 2 == 0 ? 1e9F : -1e9F;
  for (std::size_t i = 0; i < splats.opacities.size(); ++i)
    splats.opacities[i] = i % 2 == 0 ? 80.0F : -80.0F;
  check_spz(splats, 4);
  for (const float logit : splats_of(io::read_spz, spz_bytes(splats, 3)).opacities)
    CHECK(std::isfinite(logit));
}

TEST_CASE("Known bytes of .spz are read", "[splats][spz]") {
  for (const int version : {2, 3, 4}) {
    INFO("version " << version);
    const io::SplatCloud splats = splats_of(io::read_spz, known_file(version));
    CHECK(splats.xyz == std::vector<double>{1.5, -2, 0.25});
    CHECK(splats.log_scales == std::vector<float>{0, -10, 5.9375F});
    CHECK(1 / (1 + std::exp(-double{splats.opacities[0]})) == Approx(128 / 255.0));
    CHECK(splats.colours[0] == Approx(-0.5 / 0.15));
    CHECK(splats.colours[1] == Approx((128 / 255.0 - 0.5) / 0.15));
    CHECK(splats.colours[2] == Approx(0.5 / 0.15));
    const std::vector<float>& q = splats.rotations;  // w first
    const double part = 1 / (511 * std::numbers::sqrt2);
    const std::array<double, 3> xyz =
        version == 2 ? std::array{191 / 127.5 - 1, 64 / 127.5 - 1, 127 / 127.5 - 1}
                     : std::array{100 * part, -200 * part, 50 * part};
    for (std::size_t k = 0; k < 3; ++k) CHECK(q[k + 1] == Approx(xyz[k]));
    CHECK(q[0] == Approx(std::sqrt(1 - xyz[0] * xyz[0] - xyz[1] * xyz[1] - xyz[2] * xyz[2])));
    REQUIRE(splats.bands == 1);
    // The file has the three colours of a harmonic together; red first is a colour's together.
    const std::vector<float> harmonics{-0.25F,  -0.0625F, 0.125F,  -0.1875F, 0,
                                       0.1875F, -0.125F,  0.0625F, 0.25F};
    CHECK(splats.harmonics == harmonics);
    // What was read is written with the same bytes, but that coordinates get more bits.
    const std::string again = unpacked(spz_bytes(splats, version));
    const std::string file = known_file(version);
    if (version == 4) continue;
    CHECK(again.substr(0, 13) == file.substr(0, 13));
    CHECK(again[13] == 21);  // 2 * 2^22 has more than 24 bits
    CHECK(again.substr(25) == file.substr(25));
  }
}

TEST_CASE("Index of the largest part in .spz counts x, y, z, w", "[splats][spz]") {
  for (std::uint32_t index = 0; index < 4; ++index) {
    std::string rotation;
    append_number(rotation, index << 30 | 10U << 20 | 20U << 10 | 30U);
    std::string bytes = known_file(3);
    bytes.replace(16 + 16, 4, rotation);
    const io::SplatCloud splats = splats_of(io::read_spz, bytes);
    const std::size_t largest = (index + 1) % 4;  // w first
    CHECK(splats.rotations[largest] > 0.99F);
    double least = 0;
    for (std::size_t k = 0; k < 4; ++k)  // the others grow in the order x, y, z, w
      if (const std::size_t place = (k + 1) % 4; place != largest) {
        CHECK(double{splats.rotations[place]} > least + 0.01);
        least = double{splats.rotations[place]};
      }
  }
}

TEST_CASE("Truncated .spz is refused at every byte", "[splats][spz]") {
  for (const int version : {2, 3, 4}) {
    check_truncated(io::read_spz, known_file(version));
    check_truncated(io::read_spz, spz_bytes(random_splats(3, 1, 2), version));
  }
}

TEST_CASE("Lying headers of .spz are refused", "[splats][spz]") {
  const auto says = [](const std::string& bytes, const char* part) {
    CHECK_THAT(refusal(io::read_spz, bytes), ContainsSubstring(part));
  };
  const std::string old = known_file(3), streams = known_file(4);
  says("NGSQ" + old.substr(4), "does not begin with NGSP");
  says(with_number(old, 4, 1), "version 1 of .spz; versions 2 to 4");
  says(with_number(old, 4, 5), "version 5 of .spz");
  says(with_number(old, 8, 0), "no splats");
  says(with_number(old, 8, 2), "declares 2 splats");
  says(with_number(old, 8, 0xffffffffU), "declares 4294967295 splats");
  says(with_number(old, 12, '\5'), "5 bands");
  says(with_number(old, 13, '\x28'), "40 fractional bits");
  says(with_number(old, 14, '\x80'), "levels of detail");
  says(with_number(streams, 8, 0), "no splats");
  says(with_number(streams, 8, 2), "table declares 9 bytes of coordinates, but 2 splats have 18");
  says(with_number(streams, 8, 0xffffffffU), "more than its size allows");
  says(with_number(streams, 15, '\5'), "declares 5 streams");
  says(with_number(streams, 16, 31), "table at byte 31");
  says(with_number(streams, 16, 0x7fffffff), "bytes of extensions");
  says(with_number(streams, 44, std::uint64_t{1} << 63), "more bytes of coordinates than follow");
  says(with_number(streams, 44, std::uint64_t{3}), "truncated");
  says(with_number(streams, 52, std::uint64_t{1} << 40), "table declares 1099511627776 bytes");
  says(with_number(streams, 44 + 6 * 16, 0), "do not begin as zstd");
  // A stream may not be longer than its table says.
  std::string longer = with_number(streams, 8, 1);
  const std::string nine(10, 'a');
  std::string packed(100, '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), nine.data(), nine.size(), 1));
  std::uint64_t first = 0;
  std::memcpy(&first, &longer[44], 8);
  longer.replace(44 + 6 * 16, first, packed);
  says(with_number(longer, 44, std::uint64_t{packed.size()}), "hold more bytes than its table");
}

TEST_CASE("Names say which version of .spz is written", "[splats][spz]") {
  const TemporaryFolder folder;
  const io::SplatCloud splats = random_splats(3, 4, 2);
  for (const auto& [name, version] :
       {std::pair{"a.spz", 3}, {"a.v2.spz", 2}, {"a.v4.spz", 4}, {"v2.spz", 3}}) {
    io::write_splats(folder.path(name), splats, quiet);
    CHECK(unpacked(io::read_text(folder.path(name)))[4] == version);
    CHECK(io::read_splats(io::BufferedSource(io::open_source(folder.path(name)))).bands == 4);
  }
}

TEST_CASE("Bombs of .spz are refused before they fill the memory", "[splats][spz]") {
  const auto packed = [](std::string_view bytes) {
    std::string all(ZSTD_compressBound(bytes.size()), '\0');
    all.resize(ZSTD_compress(all.data(), all.size(), bytes.data(), bytes.size(), 3));
    return all;
  };
  // The unpacked size of a file that is packed again is unknown; then it has at most 1 GiB.
  const std::string file = head_of(3, 100000000) + std::string(1 << 20, '\0');
  CHECK_THAT(refusal(io::read_spz, packed(file)), ContainsSubstring("more than 1 GiB"));
  // Extensions may follow the splats, but not without an end.
  const std::string known = known_file(3);
  CHECK(splats_of(io::read_spz, known + std::string(1 << 20, '\0')).size() == 1);
  CHECK_THAT(refusal(io::read_spz, packed(known + std::string(3 << 20, '\0'))),
             ContainsSubstring("more than 1 MiB follows"));
  // Equal splats pack well, and are no bomb up to a million.
  const io::SplatCloud one = random_splats(1, 0, 5);
  io::SplatCloud equal;
  const auto append = [](auto& to, const auto& values) {
    to.insert(to.end(), values.begin(), values.end());
  };
  for (int i = 0; i < 131072; ++i) {
    append(equal.xyz, one.xyz);
    append(equal.log_scales, one.log_scales);
    append(equal.rotations, one.rotations);
    append(equal.opacities, one.opacities);
    append(equal.colours, one.colours);
  }
  check_spz(equal, 4);
}

}  // namespace skde::test
