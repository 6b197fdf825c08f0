// Extensions and flags of .spz: other axes, compared with products of matrices, and lying lengths.

#include <cmath>

#include "io/points/splats/splat_format_files.hpp"
#include "splat_comparison.hpp"
#include "spz_support.hpp"
#include "support/cases/random_splats.hpp"
#include "support/thrown_error.hpp"

namespace skde::test {
namespace {

/// A file of splats with this extension, whose length is stated as `stated` bytes.
std::string with_extension(const io::SplatCloud& splats, int version, std::uint32_t type,
                           std::string_view payload, std::uint32_t stated) {
  std::string bytes = unpacked(spz_bytes(splats, 3)), record(8, '\0');
  if (version == 4) bytes = spz_bytes(splats, 4);
  std::memcpy(record.data(), &type, 4);
  std::memcpy(&record[4], &stated, 4);
  record += payload;
  bytes[14] = static_cast<char>(bytes[14] | 2);
  if (version < 4) return bytes + record;
  const auto table_at = static_cast<std::uint32_t>(32 + record.size());
  std::memcpy(&bytes[16], &table_at, 4);
  return bytes.insert(32, record);
}

/// The covariance of a splat: R diag(exp(scale))^2 R^T by the textbook, row by row.
std::array<std::array<double, 3>, 3> covariance_of(const io::SplatCloud& splats, std::size_t i) {
  const float* const r = &splats.rotations[4 * i];
  const double w = double{r[0]}, x = double{r[1]}, y = double{r[2]}, z = double{r[3]};
  const double rotation[3][3] = {
      {1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  std::array<std::array<double, 3>, 3> sum{};
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      for (std::size_t k = 0; k < 3; ++k)
        sum[a][b] +=
            rotation[a][k] * rotation[b][k] * std::exp(2 * double{splats.log_scales[3 * i + k]});
  return sum;
}

}  // namespace

TEST_CASE("Splats of .spz with other axes are turned to the usual ones", "[splats][spz]") {
  // The axes by their numbers, as published: which way each stored coordinate points.
  constexpr std::array<std::string_view, 17> kAxes{"RUB", "LDB", "RDB", "LUB", "RUB", "LDF",
                                                   "RDF", "LUF", "RUF", "LFD", "RFD", "LFU",
                                                   "RFU", "LBD", "RBD", "LBU", "RBU"};
  constexpr std::string_view kUsual = "RUB", kOpposite = "LDF";
  const io::SplatCloud splats = random_splats(9, 0, 7);
  for (std::uint32_t axes = 0; axes < kAxes.size(); ++axes)
    for (const int version : {3, 4}) {
      INFO(kAxes[axes] << " in version " << version);
      const std::string payload(reinterpret_cast<const char*>(&axes), 4);
      const io::SplatCloud stored = splats_of(io::read_spz, spz_bytes(splats, version)),
                           turned = splats_of(io::read_spz, with_extension(splats, version,
                                                                           0xADBE0003, payload, 4));
      CHECK(turned.note.empty() == (kAxes[axes] == kUsual));
      std::array<std::size_t, 3> from{};  // stored coordinate and sign of each usual one
      std::array<double, 3> sign{};
      for (std::size_t to = 0; to < 3; ++to)
        for (std::size_t k = 0; k < 3; ++k) {
          if (kAxes[axes][k] == kUsual[to]) from[to] = k, sign[to] = 1;
          if (kAxes[axes][k] == kOpposite[to]) from[to] = k, sign[to] = -1;
        }
      for (std::size_t i = 0; i < splats.size(); ++i) {
        const auto before = covariance_of(stored, i), after = covariance_of(turned, i);
        for (std::size_t a = 0; a < 3; ++a) {
          CHECK(turned.xyz[3 * i + a] == sign[a] * stored.xyz[3 * i + from[a]]);
          for (std::size_t b = 0; b < 3; ++b)
            CHECK(after[a][b] == Approx(sign[a] * sign[b] * before[from[a]][from[b]])
                                     .margin(1e-5 * (before[0][0] + before[1][1] + before[2][2])));
        }
      }
    }
}

TEST_CASE("Harmonics of .spz are mirrored with the axes", "[splats][spz]") {
  const io::SplatCloud splats = random_splats(5, 2, 3);
  const std::string rdf{"\6\0\0\0", 4};
  const io::SplatCloud stored = splats_of(io::read_spz, spz_bytes(splats, 4)),
                       turned =
                           splats_of(io::read_spz, with_extension(splats, 4, 0xADBE0003, rdf, 4));
  // y, z, x; xy, yz, 2 z^2 - x^2 - y^2, xz, x^2 - y^2 where y and z change their signs.
  constexpr std::array<float, 8> kSigns{-1, -1, 1, -1, 1, 1, -1, 1};
  for (std::size_t k = 0; k < stored.harmonics.size(); ++k)
    REQUIRE(turned.harmonics[k] == kSigns[k % 8] * stored.harmonics[k]);
  const std::string rfu{"\14\0\0\0", 4};
  CHECK_THAT(refusal(io::read_spz, with_extension(splats, 4, 0xADBE0003, rfu, 4)),
             ContainsSubstring("without harmonics alone"));
}

TEST_CASE("Lying extensions of .spz are refused, and unknown ones are told", "[splats][spz]") {
  const io::SplatCloud splats = random_splats(2, 0, 3);
  for (const int version : {3, 4}) {
    const auto says = [&](std::uint32_t type, std::string_view payload, std::uint32_t stated) {
      return refusal(io::read_spz, with_extension(splats, version, type, payload, stated));
    };
    CHECK_THAT(says(0xADBE0003, std::string_view("\6\0\0\0", 4), 5),
               ContainsSubstring("declares 5"));
    CHECK_THAT(says(0xADBE0003, std::string_view("\6\0\0", 3), 3), ContainsSubstring("declares 3"));
    CHECK_THAT(says(0xADBE0003, std::string_view("\21\0\0\0", 4), 4), ContainsSubstring("kind 17"));
    CHECK_THAT(says(7, "abc", 0xffffffff), ContainsSubstring("declares 4294967295"));
    CHECK(says(0xADBE0002, "abcd", 4).empty());
    const io::SplatCloud told =
        splats_of(io::read_spz, with_extension(splats, version, 7, "abcd", 4));
    CHECK_THAT(told.note, ContainsSubstring("0x7"));
  }
}

TEST_CASE(".spz keeps that splats are antialiased", "[splats][spz]") {
  io::SplatCloud splats = random_splats(2, 0, 3);
  for (const int version : {2, 3, 4})
    for (const bool antialiased : {false, true}) {
      splats.antialiased = antialiased;
      const std::string bytes = spz_bytes(splats, version);
      CHECK((version == 4 ? bytes : unpacked(bytes))[14] == (antialiased ? 1 : 0));
      CHECK(splats_of(io::read_spz, bytes).antialiased == antialiased);
    }
}

TEST_CASE("Splats count as many bytes as they take in memory", "[splats][spz]") {
  // 24 bytes of a place, 4 each of 3 scales, 4 parts of a rotation, opacity and 3 colours, and of
  // 3 x 3 harmonics: 104.
  const std::string bytes = spz_bytes(random_splats(1000, 1, 3), 3);
  const auto read = [&](std::int64_t most) {
    io::read_spz(io::BufferedSource(io::memory_source("a.spz", bytes)), most);
  };
  read(104000);
  const Error error = thrown_error([&] { read(103999); });
  CHECK(error.kind() == ErrorKind::resources);
  CHECK(error.parameter() == "memory_limit");
}

}  // namespace skde::test
