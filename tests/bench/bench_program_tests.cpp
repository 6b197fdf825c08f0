#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "bench/results/results.hpp"
#include "engines/registry/registry.hpp"
#include "support/catch.hpp"
#include "support/child_program.hpp"
#include "support/temporary_folder.hpp"

using namespace skde;
using namespace skde::bench;
using namespace skde::test;

namespace {

RunResult run_bench(const std::vector<std::string>& arguments, const RunSettings& settings = {}) {
  return run_child(SKDE_BENCH_PROGRAM, arguments, settings);
}

/// Runs an experiment that must succeed, and reads its results.
RunRecord run_of(std::vector<std::string> arguments) {
  const TemporaryFolder folder;
  arguments.insert(arguments.end(), {"--json", folder.path("run.json")});
  const RunResult run = run_bench(arguments);
  INFO("standard error: " << run.err);
  REQUIRE(run.exit_code == 0);
  return read_results(folder.path("run.json"));
}

bool says(const RunResult& run, std::string_view part) {
  return run.err.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("help shows the flags most used, and all where these are wanted") {
  for (const char* command :
       {"case", "paper", "scale", "features", "stages", "accuracy", "points"}) {
    const std::string brief = run_bench({command, "--help"}).out,
                      all = run_bench({command, "--help", "all"}).out;
    INFO(command);
    CHECK(brief.find(std::string("more flags: skde-bench ") + command + " --help all") !=
          std::string::npos);
    CHECK(brief.find("--engines") != std::string::npos);
    for (const char* name : {"--seed", "--max-seconds", "--device"}) {
      CHECK(brief.find(name) == std::string::npos);
      CHECK(all.find(name) != std::string::npos);
    }
  }
}

TEST_CASE("a corner of the paper's grid is measured and right") {
  const TemporaryFolder folder;
  const RunResult ran =
      run_bench({"paper", "--samples", "100,1000", "--cells", "10,25", "--engines",
                 "naive,openmp,span", "--peers", "none", "-o", folder.path("paper")});
  INFO("standard error: " << ran.err);
  REQUIRE(ran.exit_code == 0);
  const RunRecord run = read_results(folder.path("paper/results.json"));
  CHECK(content_of(folder.path("paper/results.csv")) == results_csv(run));
  CHECK(run.command_line.starts_with("skde-bench paper --samples 100,1000"));
  CHECK_FALSE(run.cancelled);
  CHECK(run.overheads.size() == 3);
  CHECK(run.machine.cores > 0);
  REQUIRE(run.results.size() == 12);
  std::set<std::string> cases;
  for (const Result& r : run.results) {
    INFO(r.method << ", N = " << r.samples << ", M = " << r.cells);
    CHECK(r.experiment == "paper");
    CHECK(r.status == Status::ok);
    CHECK(r.seconds.size() == 3);
    CHECK(r.cloud == "five-gaussians");
    CHECK(r.kernel == "epanechnikov");
    CHECK(r.h == 1);
    REQUIRE(r.error);
    CHECK(*r.error < 2e-5);
    // With H = S, half extents are a standard deviation: about 0.9 of the side of 10, in M cells.
    CHECK(r.half_extents[0] / static_cast<double>(r.cells) == Approx(0.09).margin(0.05));
    CHECK(ran.out.find(r.method) != std::string::npos);
    cases.insert(r.method + "/" + std::to_string(r.samples) + "/" + std::to_string(r.cells));
  }
  CHECK(cases.size() == 12);
}

TEST_CASE("the engines that a build or machine lacks are rows with a reason") {
  const RunRecord run = run_of({"paper", "--samples", "100", "--cells", "10", "--peers", "none"});
  REQUIRE(run.results.size() == engine_table().size());
  for (const Result& r : run.results)
    if (r.status != Status::ok) {
      CHECK((r.method.starts_with("cuda-") || engine_entry(r.method).traits.approximates ||
             !engine_entry(r.method).traits.serves_grids));
      CHECK_FALSE(r.reason.empty());
    }
}

TEST_CASE("too long and too large cases are rows with a reason") {
  const RunRecord slow = run_of({"paper", "--samples", "1e5", "--cells", "100", "--engines",
                                 "naive", "--max-seconds", "0.01", "--peers", "none"});
  REQUIRE(slow.results.size() == 1);
  CHECK(slow.results[0].status == Status::skipped);
  CHECK(slow.results[0].reason.find("--max-seconds 0.01") != std::string::npos);
  const RunRecord large =
      run_of({"scale", "--samples", "100", "--cells", "16384", "--engines", "span"});
  REQUIRE(large.results.size() == 1);
  CHECK(large.results[0].status == Status::skipped);
  CHECK(large.results[0].reason.find("host memory") != std::string::npos);
}

TEST_CASE("scale takes all combinations of the lists") {
  const RunRecord run =
      run_of({"scale", "--samples", "1000", "--cells", "16", "--bandwidth", "silverman,0.5",
              "--cloud", "filament,clump", "--weighted", "both", "--engines", "span"});
  CHECK(run.results.size() == 8);
  for (const Result& r : run.results) {
    INFO(r.cloud << " h " << r.h);
    CHECK(r.status == Status::ok);
    if (r.h != 0.5) CHECK(r.h == Approx(2.4912 * std::pow(1000, -1.0 / 7)).epsilon(1e-4));
  }
  CHECK(std::ranges::count(run.results, true, &Result::weighted) == 4);
}

/// Checks all rows of the sweep of features by one engine.
void check_features(const char* engine) {
  const RunRecord run = run_of({"features", "--engines", engine, "--peers", "none", "--repetitions",
                                "1", "--max-seconds", "60"});
  const auto count = [&](const auto& is_so) { return std::ranges::count_if(run.results, is_so); };
  CHECK(run.results.size() == 10 + 2 + 4 + 3);
  for (const KernelFunction kernel : kKernelFunctions)
    CHECK(count([&](const Result& r) { return r.kernel == kernel->name; }) >= 1);
  CHECK(count([](const Result& r) { return r.weighted; }) == 2);
  CHECK(count([](const Result& r) { return r.widths == "splats"; }) == 2);
  CHECK(count([](const Result& r) { return r.widths == "factors"; }) == 2);
  CHECK(count([](const Result& r) { return r.tolerance == 1e-3; }) == 1);
  for (const Result& r : run.results) {
    INFO(r.method << ' ' << r.kernel << ' ' << r.widths << ' ' << r.reason);
    if (r.method == "tile") CHECK(r.status == Status::ok);
    if (r.status == Status::ok) CHECK(r.error.value_or(1) <= 1e-5 + r.tolerance.value_or(0));
  }
}

TEST_CASE("features goes through kernels, weights, widths and tolerances") {
  check_features("tile");
}

TEST_CASE("features takes a kernel and widths") {
  const RunRecord some =
      run_of({"features", "--kernel", "biweight", "--widths", "splats", "--samples", "500",
              "--cells", "12", "--engines", "tile", "--peers", "none"});
  REQUIRE(some.results.size() == 1);
  CHECK(some.results[0].kernel == "biweight");
}

TEST_CASE("features goes through what transforms serve") { check_features("spectral"); }

TEST_CASE("tolerances are measured, a row each with the error that was found") {
  const RunRecord run =
      run_of({"case", "--samples", "2000", "--cells", "40", "--bandwidth", "silverman", "--kernel",
              "gaussian", "--tolerance", "1e-2,1e-5", "--engines", "tile,spectral"});
  REQUIRE(run.results.size() == 4);
  std::map<std::string, std::map<double, double>> errors;
  for (const Result& r : run.results) {
    INFO(r.method << ": " << r.reason);
    if (r.status == Status::skipped) continue;  // built without FFTW
    REQUIRE(r.tolerance);
    REQUIRE(r.error);
    CHECK(*r.error <= *r.tolerance);
    errors[r.method][*r.tolerance] = *r.error;
  }
  CHECK(errors["tile"][1e-2] > errors["tile"][1e-5]);
}

TEST_CASE("stages come with ceilings, bytes and operations") {
  const RunRecord run = run_of({"stages", "--samples", "1000", "--cells", "16", "--bandwidth", "1",
                                "--engines", "openmp,span"});
  REQUIRE(run.ceilings.size() >= 2);
  for (const Ceiling& ceiling : run.ceilings) CHECK(ceiling.per_second > 1e8);
  REQUIRE(run.results.size() == 2);
  for (const Result& r : run.results) {
    const auto accumulate = std::ranges::find(r.stages, "accumulate", &StageRecord::stage);
    REQUIRE(accumulate != r.stages.end());
    CHECK(accumulate->bytes.value_or(0) > 0);
    CHECK(accumulate->operations.value_or(0) > 0);
    CHECK(accumulate->ceiling == "fma");
  }
}

TEST_CASE("accuracy tells single from double precision") {
  const RunRecord run =
      run_of({"accuracy", "--samples", "1000", "--cells", "16", "--engines", "openmp,span"});
  REQUIRE(run.results.size() == 4);
  for (const Result& r : run.results) {
    INFO(r.method << ' ' << r.precision);
    REQUIRE(r.error);
    if (r.precision == "f64") CHECK(*r.error < 1e-12);
    if (r.precision == "f32") CHECK(*r.error > 1e-9);
  }
}

TEST_CASE("io writes and reads every format and leaves nothing behind") {
  const TemporaryFolder folder;
  const RunRecord run =
      run_of({"io", "--samples", "1000", "--cells", "16", "--scratch", folder.path("")});
  CHECK(run.results.size() >= 6 + 4);
  for (const Result& r : run.results) {
    INFO(r.method << ": " << r.reason);
    CHECK((r.status == Status::ok || r.status == Status::skipped));
    if (r.status != Status::ok) continue;
    REQUIRE(r.stages.size() == 1);
    CHECK(r.stages[0].bytes.value_or(0) > 1000);
  }
  CHECK(folder.names().empty());
}

TEST_CASE("a user who stops keeps what is done") {
  const TemporaryFolder folder;
  RunSettings settings;
  settings.interrupt_on = "five-gaussians";  // interrupts in the first row
  const RunResult ran =
      run_bench({"paper", "--samples", "100,1e5", "--cells", "10,100", "--engines", "span,naive",
                 "--repetitions", "1000", "--peers", "none", "--json", folder.path("run.json"),
                 "--csv", folder.path("run.csv")},
                settings);
  REQUIRE(ran.was_interrupted);
  CHECK(ran.exit_code == 130);
  CHECK(says(ran, "skde-bench: cancelled\n"));
  const RunRecord run = read_results(folder.path("run.json"));
  CHECK(run.cancelled);
  CHECK_FALSE(run.results.empty());
  CHECK(run.results.size() < 8);
  CHECK(content_of(folder.path("run.csv")) == results_csv(run));
}

TEST_CASE("peers that are missing are rows with a reason") {
  const RunRecord run = run_of({"paper", "--samples", "100", "--cells", "10", "--engines", "span",
                                "--python", "/no/such/python", "--mpdfestimator", "/no/such/mpdf"});
  REQUIRE(run.results.size() == 4);
  CHECK(run.results[0].status == Status::ok);
  CHECK(run.results[3].method == "mpdfestimator");
  for (const std::size_t k : {1, 2, 3}) {
    CHECK(run.results[k].status == Status::skipped);
    CHECK(run.results[k].reason.find("/no/such/python: cannot be run: No such file") == 0);
  }
}

TEST_CASE("wrong flags are usage errors that name what was meant") {
  const auto failure = [](const std::vector<std::string>& arguments, int exit_code,
                          std::string_view part) {
    const RunResult run = run_bench(arguments);
    INFO("standard error: " << run.err);
    CHECK(run.exit_code == exit_code);
    CHECK(run.err.starts_with("skde-bench: "));
    CHECK(run.err.find(part) != std::string::npos);
  };
  failure({}, 2, "skde-bench --help");
  failure({"papr"}, 2, "did you mean 'paper'");
  failure({"paper", "--engines", "spann"}, 2, "did you mean 'span'");
  failure({"paper", "--samples", "100,,3"}, 2, "--samples");
  failure({"paper", "--peers", "skleran"}, 2, "did you mean 'sklearn'");
  failure({"case", "--peers", "mpdfestimator"}, 2, "--mpdfestimator PATH");
  failure({"case", "--peers", "scipy", "--mpdfestimator", "x"}, 2,
          "has no effect without the peer");
  failure({"scale", "--python", "python3"}, 2, "--python has no effect");
  failure({"scale", "--cloud", "clmp"}, 2, "did you mean 'clump'");
  failure({"scale", "--bandwidth", "0"}, 2, "--bandwidth");
  failure({"case", "--json", "/no/such/folder/a.json"}, 4, "does not exist");
  failure({"io", "--scratch", "/no/such/folder"}, 4, "--scratch");
}

TEST_CASE("densities at points are measured and right") {
  const RunRecord run = run_of({"points", "--samples", "3000", "--points", "2000", "--kernel",
                                "biweight", "--engines", "ranges", "--repetitions", "2"});
  REQUIRE(run.results.size() == 1);
  const Result& result = run.results.front();
  CHECK(result.status == Status::ok);
  CHECK(result.experiment == "points");
  CHECK(result.seconds.size() == 2);
  CHECK(result.updates == 6e6);
  REQUIRE(result.error);
  CHECK(*result.error < 2e-6);
  CHECK(result.policy.starts_with("2000 points"));
}
