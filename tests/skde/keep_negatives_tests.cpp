// Negative values that transforms leave, on the command line.

#include <algorithm>
#include <catch2/catch.hpp>

#include "engines/registry.hpp"
#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"
#include "support/skipped_test.hpp"

using namespace skde;
using namespace skde::test;

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
