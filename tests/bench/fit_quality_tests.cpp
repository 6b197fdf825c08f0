#include <string>
#include <vector>

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

}  // namespace

TEST_CASE("errors of a fit are measured, or the reason why not") {
  const TemporaryFolder folder;
  const RunRecord run =
      run_of(folder, {"--measure", "quality", "--cloud", "five-gaussians", "--samples", "2000",
                      "--cells", "32", "--members", "8,4000", "--steps", "150", "--on", "cpu"});
  REQUIRE(run.results.size() == 2);
  const Result& fit = run.results[0];
  REQUIRE(fit.status == Status::ok);
  CHECK(fit.steps == 150);
  CHECK(fit.bytes == 320);
  REQUIRE(fit.relative_error);
  CHECK(*fit.relative_error < 0.2);
  CHECK(*fit.psnr > 30);
  CHECK(*fit.error < 0.3);
  CHECK(run.results[1].reason == "more members than the 2000 samples");
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
