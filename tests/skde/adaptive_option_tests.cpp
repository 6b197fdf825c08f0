// Adaptive bandwidth factors on the command line.

#include <fmt/core.h>

#include <catch2/catch.hpp>
#include <cmath>

#include "io/volumes/volume_formats.hpp"
#include "skde/program_run.hpp"

using namespace skde;
using namespace skde::test;

TEST_CASE("The flag --adaptive gives samples widths, and says which") {
  const TemporaryFolder folder;
  std::string text = "x,y,z,h\n";
  for (int i = 0; i < 400; ++i)
    text += fmt::format("{},{},{},1\n", std::exp(std::sin(i)), std::exp(std::cos(2 * i)),
                        std::exp(std::sin(5 * i)));
  const std::string input = folder.file("a.csv", text), out = folder.path("a.nrrd");
  const nlohmann::json root = run_json({"density", input, "-o", out, "--dims", "24", "--adaptive"});
  CHECK(root["adaptive"]["alpha"] == 0.5);
  CHECK(root["adaptive"]["least_width"] < 0.9);
  CHECK(root["adaptive"]["largest_width"] > 1.1);
  CHECK(io::read_volume(out).metadata.adaptive == 0.5);
  const RunResult shown = run_skde(
      {"density", input, "-o", out, "--dims", "24", "--adaptive", "--adaptive-alpha", "0.25"});
  CHECK(shown.out.find("(alpha 0.25)") != std::string::npos);
  CHECK(run_skde({"info", out}).out.find("alpha 0.25") != std::string::npos);
  check_failure(run_skde({"density", input, "-o", out, "--adaptive", "--widths", "h"}), 2,
                {"--adaptive", "--widths"});
  check_failure(run_skde({"density", input, "-o", out, "--adaptive-alpha", "0.5"}), 2,
                {"without --adaptive"});
  check_failure(run_skde({"density", input, "-o", out, "--adaptive", "--adaptive-alpha", "1.5"}), 2,
                {"'1.5'", "at most 1"});
}
