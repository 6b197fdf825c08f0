// Boundaries on the command line.

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "engines/registry/registry.hpp"
#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/catch.hpp"
#include "support/skipped_test.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Rows that fill a box of 10 x 10 x 10.
std::string cube_of_rows() {
  std::string text = "x,y,z\n";
  for (int z = 0; z < 10; ++z)
    for (int y = 0; y < 10; ++y)
      for (int x = 0; x < 10; ++x) text += fmt::format("{}.5,{}.5,{}.5\n", x, y, z);
  return text;
}

}  // namespace

TEST_CASE("A periodic box keeps its mass, and says so in summary and file") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.csv", cube_of_rows()), out = folder.path("a.nrrd");
  const std::vector<std::string> asked{
      "density",     input,         "-o",     out,  "--bounds", "0,0,0:10,10,10",
      "--bandwidth", "1.5,1.5,1.5", "--dims", "20", "--kernel", "triweight"};
  const auto with = [&](std::initializer_list<std::string> more) {
    std::vector<std::string> arguments = asked;
    arguments.insert(arguments.end(), more);
    return arguments;
  };
  const nlohmann::json open = run_json(asked);
  CHECK(open["mass_in_box"].get<double>() < 0.95);
  const nlohmann::json kept = run_json(with({"--boundary", "periodic"}));
  CHECK(kept["boundary"] == nlohmann::json{"periodic", "periodic", "periodic"});
  CHECK(kept["mass_in_box"] == 1);
  const io::VolumeFile file = io::read_volume(out);
  CHECK(file.metadata.boundaries[0] == Boundary::periodic);
  CHECK(file.volume.mass() == Approx(1).epsilon(1e-3));
  CHECK(file.volume.at(0, 0, 0) == Approx(file.volume.at(10, 10, 10)).epsilon(1e-5));
  const RunResult shown = run_skde(with({"--boundary", "reflect,none,renormalize"}));
  CHECK(shown.out.find("reflect along x, none along y, renormalize along z") != std::string::npos);
  CHECK(run_skde({"info", out}).out.find("reflect along x") != std::string::npos);
}

TEST_CASE("Boundaries that cannot be are refused with what mends them") {
  const TemporaryFolder folder;
  const std::string input = folder.file("a.csv", cube_of_rows()), out = folder.path("a.nrrd");
  check_failure(run_skde({"density", input, "-o", out, "--boundary", "periodic"}), 2,
                {"period", "--bounds"});
  check_failure(run_skde({"density", input, "-o", out, "--boundary", "mirror"}), 2,
                {"'mirror'", "reflect"});
  const RunResult beyond = run_skde(
      {"density", input, "-o", out, "--boundary", "reflect", "--bounds", "1,0,0:10,10,10"});
  CHECK(beyond.exit_code == 0);
  CHECK(beyond.err.find("100 of 1000 samples lie beyond a face") != std::string::npos);
}

TEST_CASE("Values below 0 are written where they are to be kept") {
  if (skipped(engine_entry("spectral").unavailable())) return;
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(400)), out = folder.path("a.nrrd");
  std::vector<std::string> arguments{"density",     input,         "-o",        out,
                                     "--kernel",    "gaussian",    "--engine",  "spectral",
                                     "--bandwidth", "0.3,0.3,0.3", "--spacing", "0.15"};
  const auto least_of = [&] {
    run_json(arguments);
    const Volume volume = io::read_volume(out).volume;
    const float least = std::ranges::min(volume.values<float>());
    return std::min(0.0, static_cast<double>(least) / volume.maximum());
  };
  CHECK(least_of() == 0);
  arguments.emplace_back("--keep-negatives");
  const double kept = least_of();
  CHECK(kept < 0);
  CHECK(kept > -1e-6);
}
