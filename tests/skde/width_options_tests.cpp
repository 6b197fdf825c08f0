// Widths of samples' own on the command line.

#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"

using namespace skde;
using namespace skde::test;

namespace {

std::string table_of(int count) {
  std::string text = "x,y,z,h,a,b,c\n";
  for (int i = 0; i < count; ++i)
    text += fmt::format("{},{},{},{},1,2,3\n", 10 + std::sin(i), 10 + std::cos(2 * i),
                        10 + std::sin(5 * i), 0.05 + 0.01 * (i % 100));
  return text;
}

}  // namespace

TEST_CASE("Widths of the samples make the volume, which sums to their number") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.csv", table_of(500)), out = folder.path("a.nrrd");
  const RunResult run =
      run_skde({"density", input, "-o", out, "--widths", "h", "--kernel", "gaussian", "--dims",
                "40", "--bounds", "0,0,0:20,20,20", "--normalize", "count", "--json"});
  REQUIRE(run.exit_code == 0);
  CHECK(run.err.find("230 of 500 samples have kernels thinner") != std::string::npos);
  const nlohmann::json summary = nlohmann::json::parse(run.out);
  CHECK(summary["bandwidth"]["source"] == "samples");
  CHECK(summary["bandwidth"]["h"].is_null());
  CHECK(summary["columns"]["widths"].size() == 1);
  CHECK(summary["columns"]["widths"][0]["name"] == "h");
  double mean = 0;
  for (int i = 0; i < 100; ++i) mean += (0.05 + 0.01 * i) * (0.05 + 0.01 * i) / 100;
  CHECK(summary["bandwidth"]["H"][0][0].get<double>() == Approx(mean).epsilon(1e-6));
  REQUIRE(summary["warnings"].size() == 1);
  CHECK(summary["warnings"][0]["kind"] == "min_width");
  CHECK(std::abs(io::read_volume(out).volume.mass() / 500 - 1) < 1e-6);
}

TEST_CASE("A factor multiplies the bandwidth that is asked for") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.csv", table_of(100)), out = folder.path("a.nrrd");
  const nlohmann::json summary =
      run_json({"density", input, "-o", out, "--widths", "a", "--width-form", "factor",
                "--min-width", "0", "--bandwidth", "0.5", "--dims", "20"});
  CHECK(summary["bandwidth"]["h"] == 0.5);
  const std::string plain = folder.path("b.nrrd");
  run_json({"density", input, "-o", plain, "--bandwidth", "0.5", "--dims", "20"});
  // The factors are 1.
  const Volume with = io::read_volume(out).volume, without = io::read_volume(plain).volume;
  REQUIRE(with.grid() == without.grid());
  for (std::int64_t z = 0; z < with.grid().dims[2]; ++z)
    CHECK(with.at(9, 9, z) == Approx(without.at(9, 9, z)).margin(2e-5 * without.maximum()));
}

TEST_CASE("Flags that widths make void are refused") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.csv", table_of(10)), out = folder.path("a.nrrd");
  const auto refused = [&](std::vector<std::string> flags,
                           std::initializer_list<std::string_view> fragments) {
    flags.insert(flags.begin(), {"density", input, "-o", out});
    check_failure(run_skde(flags), 2, fragments);
  };
  refused({"--widths", "h", "--bandwidth", "1"}, {"--bandwidth has no effect beside --widths"});
  refused({"--widths", "h", "--covariance", "iso"}, {"--covariance has no effect beside --widths"});
  refused({"--min-width", "2"}, {"--min-width has no effect without --widths"});
  refused({"--width-form", "factor"}, {"--width-form has no effect without --widths"});
  refused({"--widths", "a,b,c", "--width-form", "factor"}, {"for one column of --widths"});
  refused({"--widths", "a,b"}, {"2 columns are no widths"});
  refused({"--widths", "sigma"}, {"there is no column 'sigma'", "--widths"});
  refused({"--widths", "splat"}, {"there is no column 'opacity'", "--widths"});
}
