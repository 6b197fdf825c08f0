#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/fake_peer.hpp"
#include "bench/fit/fit_tables.hpp"
#include "bench/fit/smaller_volumes.hpp"
#include "bench/results/results.hpp"
#include "support/catch.hpp"
#include "support/child_program.hpp"
#include "support/temporary_folder.hpp"

using namespace skde;
using namespace skde::bench;
using namespace skde::test;

namespace {

/// Runs `skde-bench fit`, which must succeed, and reads its results.
RunRecord run_of(const TemporaryFolder& folder, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "fit");
  arguments.insert(arguments.end(), {"--json", folder.path("run.json")});
  const RunResult run = run_child(SKDE_BENCH_PROGRAM, arguments, {});
  INFO("standard error: " << run.err);
  REQUIRE(run.exit_code == 0);
  return read_results(folder.path("run.json"));
}

const Result& row_of(const RunRecord& run, std::string_view method, double members) {
  const auto found = std::ranges::find_if(
      run.results, [&](const Result& r) { return r.method == method && r.members == members; });
  REQUIRE(found != run.results.end());
  return *found;
}

/// A volume of x + 2 y + 3 z, which linear interpolation keeps inside.
Volume slanted(std::int64_t side) {
  std::vector<float> values;
  for (std::int64_t z = 0; z < side; ++z)
    for (std::int64_t y = 0; y < side; ++y)
      for (std::int64_t x = 0; x < side; ++x)
        values.push_back(static_cast<float>(x + 2 * y + 3 * z));
  return {Grid{{0, 0, 0}, {1, 1, 1}, {side, side, side}}, std::move(values)};
}

}  // namespace

TEST_CASE("a fit is no worse than moments and volumes of the same size") {
  const TemporaryFolder folder;
  const RunRecord run = run_of(
      folder, {"--measure", "quality", "--cloud", "five-gaussians", "--samples", "2000", "--cells",
               "32", "--members", "8,4000", "--steps", "150", "--methods",
               "fit,kmeans,merging,reduced", "--table", folder.path("fit.md"), "--on", "cpu"});
  REQUIRE(run.results.size() == 8);
  const Result& fit = row_of(run, "fit", 8);
  REQUIRE(fit.status == Status::ok);
  CHECK(fit.steps == 150);
  CHECK(fit.bytes == 320);
  REQUIRE(fit.relative_error);
  CHECK(*fit.relative_error < 0.2);
  CHECK(*fit.psnr > 30);
  CHECK(*fit.error < 0.3);
  for (const char* const other : {"kmeans", "merging", "reduced"}) {
    INFO(other);
    const Result& row = row_of(run, other, 8);
    REQUIRE(row.status == Status::ok);
    CHECK(*row.bytes <= 320);
    CHECK(*fit.relative_error < *row.relative_error);
    CHECK(row_of(run, other, 4000).reason == "more members than the 2000 samples");
  }
  const std::string table = content_of(folder.path("fit.md"));
  CHECK(table == fit_tables(run.results));
  CHECK(table.find("| K | bytes | fit | kmeans | merging | reduced | PSNR |") != table.npos);
  CHECK(table.find("Not measured: fit at K = 4000 (more members") != table.npos);
}

TEST_CASE("rows of an earlier run stay beside those of a new one") {
  const TemporaryFolder folder;
  const std::vector<std::string> small{"--measure", "quality", "--cloud",   "noise",     "--cells",
                                       "8",         "--steps", "5",         "--on",      "cpu",
                                       "--members", "4",       "--methods", "kmeans,fit"};
  const RunRecord before = run_of(folder, small);
  const std::string kept = folder.file("kept.json", results_json(before));
  std::vector<std::string> again = small;
  again.back() = "fit,reduced,sklearn";
  again.insert(again.end(), {"--with", kept, "--python", "/no/such/python"});
  const RunRecord run = run_of(folder, again);
  REQUIRE(run.results.size() == 4);
  CHECK(run.results[0].method == "kmeans");
  CHECK(run.results[0].seconds == before.results[0].seconds);
  // The same seed gives the same mixture.
  CHECK(row_of(run, "fit", 4).relative_error == row_of(before, "fit", 4).relative_error);
  CHECK(row_of(run, "sklearn", 4).status == Status::skipped);
  CHECK(has(row_of(run, "sklearn", 4), "needs samples"));
}

TEST_CASE("scikit-learn's mixture stands beside a fit, or the reason why not") {
  const TemporaryFolder folder;
  const auto measured = [&](const std::string& commands) {
    const std::string python = shell_program(folder, "python", commands);
    return run_of(folder, {"--measure", "quality", "--cloud", "five-gaussians", "--samples", "500",
                           "--cells", "16", "--members", "1", "--methods", "sklearn", "--python",
                           python, "--peer-seconds", "1"})
        .results.at(0);
  };
  const std::string one =
      "[ \"$1\" = -c ] && exit 0\necho '{\"made_by\": \"a fake\"}'\necho '{\"seconds\": 0.5}'\n"
      "echo '{\"member\": [1, 0, 0, 0, 1, 0, 0, 1, 0, 1]}'\n";
  const Result row = measured(one);
  INFO(row.reason);
  REQUIRE(row.status == Status::ok);
  CHECK(row.seconds == std::vector<double>{0.5});
  CHECK(row.policy == "a fake");
  CHECK(row.bytes == 40);
  CHECK(*row.relative_error < 1);
  CHECK(has(measured("[ \"$1\" = -c ] && exit 0\necho 'no room' >&2\nexit 3\n"), "ended with 3"));
  CHECK(has(measured("[ \"$1\" = -c ] && exit 0\nsleep 60\n"), "longer than --peer-seconds 1"));
}

TEST_CASE("steps of a fit have a time for each stage") {
  const TemporaryFolder folder;
  const RunRecord run =
      run_of(folder, {"--measure", "speed", "--samples", "500", "--steps", "1", "--step-members",
                      "40", "--step-cells", "16", "--repetitions", "3", "--on", "cpu"});
  REQUIRE(run.results.size() == 2);
  const Result& step = run.results[0];
  REQUIRE(step.status == Status::ok);
  CHECK(step.device == "cpu");
  CHECK(step.members == 40);
  CHECK(step.seconds.size() == 3);
  std::vector<std::string> stages;
  for (const StageRecord& stage : step.stages) stages.push_back(stage.stage);
  CHECK(stages == std::vector<std::string>{"sum", "derive", "gather", "update"});
  CHECK(run.results[1].steps.value_or(0) >= 1);  // again, if the start was better
  CHECK(run.results[1].members == 512);
}

TEST_CASE("a volume in fewer cells holds the means of boxes") {
  const Volume volume = slanted(8);
  const auto reduced = reduced_volume(volume, 64);
  REQUIRE(reduced);
  CHECK(reduced->bytes == 64 * 4);
  // Means of boxes of a linear function are its values at their middles, and so is what lies
  // between them; beyond the outermost middles the values are constant.
  CHECK(reduced->values.at(3, 4, 2) == Approx(3 + 8 + 6));
  CHECK(reduced->values.at(0, 0, 0) == Approx(0.5 * 6));
  CHECK(reduced->values.mass() == Approx(volume.mass()));
  CHECK_FALSE(reduced_volume(volume, 512));
  const auto one = reduced_volume(volume, 1);
  REQUIRE(one);
  CHECK(one->values.at(5, 1, 7) == Approx(volume.mass() / 512));
}

TEST_CASE("an OpenVDB file of half floats keeps the largest values that it has room for") {
  if (!SKDE_HAS_OPENVDB) return;
  const Volume volume = slanted(24);
  const SmallerVolume all = half_openvdb_volume(volume, 1e9);
  double largest = 0;
  for (std::int64_t i = 0; i < 24; ++i)
    largest = std::max(largest, std::abs(all.values.at(i, 5, 23 - i) - volume.at(i, 5, 23 - i)));
  CHECK(largest <= volume.maximum() / 2048);
  CHECK(all.bytes < 2 * 24 * 24 * 24 + 20000);
  const SmallerVolume part = half_openvdb_volume(volume, 0.7 * all.bytes);
  CHECK(part.bytes <= 0.7 * all.bytes);
  CHECK(part.values.at(0, 0, 0) == 0);
  CHECK(part.values.maximum() == Approx(volume.maximum()).epsilon(1e-3));
}
