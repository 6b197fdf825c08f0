// The table of formats of splats, and plain PLY, of which the others are checked to be roundings.

#include "io/points/splats/splat_formats.hpp"

#include <cmath>
#include <limits>
#include <string>

#include "io/points/columns/point_reader.hpp"
#include "support/cases/random_splats.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

namespace skde::test {
namespace {

NoProgress unwatched;

io::SplatCloud read(const std::string& path) {
  return io::read_splats(io::BufferedSource(io::open_source(path)));
}

}  // namespace

TEST_CASE("Splats in PLY are read again to the last bit of a float", "[splats]") {
  const TemporaryFolder folder;
  const std::string path = folder.path("a.ply");
  for (int bands = 0; bands <= 4; ++bands) {
    const io::SplatCloud splats = random_splats(501, bands, 7, 1000);
    io::write_splats(path, splats, unwatched);
    const io::SplatCloud again = read(path);
    REQUIRE(again.size() == splats.size());
    CHECK(again.bands == bands);
    for (std::size_t i = 0; i < splats.xyz.size(); ++i)
      REQUIRE(again.xyz[i] == static_cast<float>(splats.xyz[i]));
    CHECK(again.log_scales == splats.log_scales);
    CHECK(again.opacities == splats.opacities);
    CHECK(again.colours == splats.colours);
    CHECK(again.harmonics == splats.harmonics);
    for (std::size_t i = 0; i < splats.rotations.size(); ++i)
      REQUIRE(std::abs(again.rotations[i] - splats.rotations[i]) < 1e-6f);
  }
}

TEST_CASE("Splats that no file can hold are refused, and nothing is written", "[splats]") {
  const TemporaryFolder folder;
  const auto problem = [&](auto&& spoil, const std::string& name = "a.ply") {
    io::SplatCloud splats = random_splats(9, 1, 3);
    spoil(splats);
    return thrown_error([&] { io::write_splats(folder.path(name), splats, unwatched); });
  };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  CHECK(says(problem([&](auto& s) { s.xyz[4] = nan; }), "splat 2: a coordinate is not finite"));
  CHECK(says(problem([&](auto& s) { s.harmonics[9] = nan; }), "splat 2: a harmonic"));
  CHECK(says(problem([](auto& s) { s.rotations.assign(36, 0.0f); }), "quaternion of zeros"));
  CHECK(says(problem([](auto& s) { s = {}; }), "no splats"));
  CHECK(problem([](auto&) {}, "a.xyz").kind() == ErrorKind::usage);
  CHECK(problem([](auto&) {}, "a.ply.gz").kind() == ErrorKind::usage);
  CHECK(folder.names().empty());
}

TEST_CASE("PLY files that hold no splats, or broken ones, are refused", "[splats]") {
  const TemporaryFolder folder;
  const auto problem = [&](const std::string& content) {
    const std::string path = folder.file("b.ply", content);
    return thrown_error([&] { read(path); });
  };
  const std::string head =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\n"
      "property float y\nproperty float z\n";
  CHECK(says(problem(head + "end_header\n0 0 0\n"), "has no property 'scale_0'"));
  CHECK(says(problem(head + "property float f_rest_0\nend_header\n0 0 0 0\n"),
             "1 properties f_rest"));
  CHECK(says(problem("PK"), "b.ply"));
  CHECK(says(thrown_error([&] { read(folder.file("b.xyz", "1 2 3\n")); }),
             "not a file of Gaussian splats"));
}

}  // namespace skde::test
