// What a run reports of its work, and of kernels for which the grid is too coarse.

#include <cmath>
#include <numbers>

#include "skde/program_run.hpp"
#include "support/catch.hpp"

using namespace skde::test;
using nlohmann::json;

namespace {

/// Returns the seconds of all stages with these names.
double seconds_of(const json& summary, std::initializer_list<const char*> names) {
  double seconds = 0;
  for (const json& stage : summary["stages"])
    for (const char* const name : names)
      if (stage["stage"] == name) seconds += stage["seconds"].get<double>();
  return seconds;
}

}  // namespace

TEST_CASE("Updates are the cells inside the kernels and the box") {
  constexpr double kSamples = 200, kRadius = 0.8, kCell = 0.125;
  const TemporaryFolder folder;
  const std::string input = folder.file("a.xyz", spread_rows(200));
  const double volume = 4 * std::numbers::pi / 3 * std::pow(kRadius, 3);
  for (const char* const bounds : {"-5,-5,-5:5,5,5", "-1,-1,-1:1,1,1"})
    for (const char* const engine : {"naive", "openmp", "span"}) {
      INFO(engine << " in " << bounds);
      // With the uniform kernel every update adds the same value, so the mass determines their
      // number.
      const json summary = run_json({"density", input, "--kernel", "uniform", "--bandwidth",
                                     "0.8,0.8,0.8", "--bounds", bounds, "--spacing", "0.125",
                                     "--engine", engine, "-o", folder.path("a.vti")});
      const double mass = summary["mass_in_box"], updates = summary["engine"]["updates"],
                   seconds = summary["engine"]["seconds"];
      CHECK(updates == Approx(mass * kSamples * volume / std::pow(kCell, 3)).epsilon(1e-3));
      CHECK(seconds > 0);
      CHECK(seconds == Approx(seconds_of(summary, {"sort", "accumulate"})));
      CHECK(summary["engine"]["updates_per_second"].get<double>() == Approx(updates / seconds));
      CHECK(summary["unseen_mass"] == 0);
    }
}

TEST_CASE("The summary for people has the engine's updates a second") {
  const TemporaryFolder folder;
  folder.file("a.xyz", spread_rows(100));
  const RunResult result = run_skde(folder, "density @a.xyz -o @a.vti --dims 48");
  check_success(result);
  CHECK_THAT(result.out, ContainsSubstring("updates/s"));
  CHECK_THAT(result.out, !ContainsSubstring("is lost"));
  CHECK_THAT(result.out, !ContainsSubstring("note"));
}

TEST_CASE("Mass of kernels between the cell centres is told as lost") {
  const TemporaryFolder folder;
  // Two samples on cell centres, one on a corner of cells and one between two centres.
  const std::string input =
      folder.file("a.csv", "x,y,z,w\n0.5,0.5,0.5,3\n2.5,2.5,2.5,2\n2,2,2,1\n1,2.5,2.5,4\n");
  const auto run = [&](const std::string& bandwidth, bool as_json) {
    std::vector<std::string> arguments{
        "density",   input, "--weights",   "w",       "--bounds", "0,0,0:4,4,4",
        "--spacing", "1",   "--bandwidth", bandwidth, "-o",       folder.path("a.vti")};
    if (as_json) arguments.emplace_back("--json");
    const RunResult result = run_skde(arguments);
    CHECK(result.exit_code == 0);
    CHECK_THAT(result.err, ContainsSubstring("skde: warning: the cells sum to"));
    return result.out;
  };
  // A ball smaller than a cell, and a needle along the diagonal of x and y, longer than a cell.
  for (const char* const bandwidth : {"0.2,0.2,0.2", "1.21001,1.21,0,1.21001,0,0.01"}) {
    INFO(bandwidth);
    CHECK(json::parse(run(bandwidth, true))["unseen_mass"].get<double>() == Approx(0.5));
    CHECK(json::parse(run(bandwidth, true))["warnings"][0]["kind"] == "coarse_grid");
    const std::string text = run(bandwidth, false);
    CHECK_THAT(text, ContainsSubstring("about 50 % is lost"));
    CHECK_THAT(text, ContainsSubstring("kernels reach only"));
  }
}
