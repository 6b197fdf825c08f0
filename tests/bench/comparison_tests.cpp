#include "bench/results/comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <iterator>
#include <string>

#include "bench/bench_commands.hpp"
#include "bench/results/results.hpp"
#include "cli/exit_code.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::bench;
using test::says;
using test::thrown_error;

namespace skde::test {
namespace {

struct Method {
  const char* name;
  const char* device;
  double launch, seconds_per_update, seconds_per_cell_and_sample;
};

constexpr Method kMethods[] = {
    {"naive", "cpu", 2e-6, 0, 1.1e-9},          {"openmp", "cpu", 3e-5, 6.4e-9, 0},
    {"span", "cpu", 6e-5, 5.5e-10, 0},          {"cuda-naive", "cuda", 2e-5, 0, 1.05e-12},
    {"cuda-chop-crop", "cuda", 3e-5, 4e-12, 0}, {"cuda-span", "cuda", 7e-5, 9e-13, 0},
};

/// Low-discrepancy steps through 0..1, the same in every run of the tests.
double wobble(std::size_t step) { return std::fmod(static_cast<double>(step) * 0.6180339887, 1.0); }

bench::Result result_of(const Method& method, std::uint64_t samples, std::int64_t cells,
                        std::size_t step) {
  bench::Result r;
  r.experiment = "paper";
  r.method = method.name;
  r.device = method.device;
  r.cloud = "five-gaussians";
  r.samples = samples;
  r.cells = cells;
  r.h = 1;
  r.kernel = "epanechnikov";
  r.precision = "f32";
  const double n = static_cast<double>(samples), m = static_cast<double>(cells);
  r.updates = n * std::pow(0.16 * m, 3);
  r.evaluated = 1.5 * r.updates;
  const double seconds = method.launch + method.seconds_per_update * r.updates +
                         method.seconds_per_cell_and_sample * n * m * m * m;
  r.automatic = r.method == (r.device == "cpu" ? "span" : "cuda-span");
  if (seconds > 60) {
    r.status = bench::Status::skipped;
    r.reason = fmt::format("would take {:.0f} s, more than --max-seconds 60", seconds);
    return r;
  }
  for (std::size_t i = 0; i < 3; ++i)
    r.seconds.push_back(seconds * (1 + 0.25 * wobble(3 * step + i)));
  r.stages = {{"zero", 0.2 * seconds, 4 * m * m * m, {}, ""},
              {"accumulate", 0.8 * seconds, 12 * n + 0.1 * r.updates, 3 * r.updates, "fma"}};
  r.error = 1e-7 * (1 + 30 * wobble(step));
  return r;
}

}  // namespace

bench::RunRecord example_run() {
  bench::RunRecord run;
  run.machine = {"A CPU & Sons <2 GHz>",
                 2,
                 1.6e10,
                 "NVIDIA H200",
                 "580.10",
                 "12.8",
                 1.5e11,
                 "g++ 12",
                 "-O3",
                 "0.1.0",
                 "abcdef0"};
  run.date = "2026-01-31T12:00:00Z";
  run.command_line = "skde-bench paper --json run.json";
  run.ceilings = {{"cpu", "copy", 1.2e10, "B"},
                  {"cpu", "fma", 2e11, "operations"},
                  {"cuda", "copy", 4.2e12, "B"},
                  {"cuda", "fma", 3e13, "operations"},
                  {"cuda", "coalesced atomics", 7.9e11, "operations"}};
  run.overheads = {{"span", 2e-5}, {"cuda-span", 7e-5}};
  std::size_t step = 0;
  for (const std::uint64_t samples : {100, 1000, 10000, 100000})
    for (const std::int64_t cells : {10, 25, 50, 100})
      for (const Method& method : kMethods)
        run.results.push_back(result_of(method, samples, cells, ++step));
  bench::Result& wrong = run.results.back();
  wrong.status = bench::Status::wrong;
  wrong.reason = "differs by 0.21 of the peak from the others";
  wrong.seconds.clear();
  wrong.stages.clear();
  wrong.error = 0.21;
  return run;
}

}  // namespace skde::test

using Values = std::vector<double>;

namespace {

/// A run of one result with these times; without times, the result is skipped.
RunRecord timed_run(std::vector<double> seconds, const std::string& method = "span") {
  RunRecord run = test::example_run();
  run.results.resize(1);
  Result& r = run.results[0];
  r.method = method;
  r.seconds = std::move(seconds);
  if (r.seconds.empty()) {
    r.status = Status::skipped;
    r.reason = "would take long";
  }
  return run;
}

Verdict verdict_of(std::vector<double> before, std::vector<double> after) {
  const RunRecord old = timed_run(std::move(before)), now = timed_run(std::move(after));
  const std::vector<ComparedResult> rows = compare_runs(old, now, 0.05);
  REQUIRE(rows.size() == 1);
  return rows[0].verdict;
}

struct Files {
  test::TemporaryFolder folder;
  std::string before, after;

  Files(const RunRecord& old, const RunRecord& now)
      : before(folder.file("before.json", results_json(old))),
        after(folder.file("after.json", results_json(now))) {}
};

}  // namespace

TEST_CASE("times that lie apart are a change and others are noise") {
  CHECK(verdict_of({1.0, 1.02, 1.04}, {1.5, 1.52, 1.6}) == Verdict::slower);
  CHECK(verdict_of({1.5, 1.52, 1.6}, {1.0, 1.02, 1.04}) == Verdict::faster);
  CHECK(verdict_of({1.0, 1.3, 1.6}, {1.1, 1.2, 1.5}) == Verdict::within_noise);
  CHECK(verdict_of({1.0, 1.001, 1.002}, {1.03, 1.031, 1.032}) == Verdict::within_noise);
}

TEST_CASE("a time that is lost or gained is told") {
  CHECK(verdict_of({1.0, 1.1}, {}) == Verdict::lost);
  CHECK(verdict_of({}, {1.0, 1.1}) == Verdict::gained);
  CHECK(verdict_of({}, {}) == Verdict::unmeasured);
}

TEST_CASE("the ratio is of the fastest runs and lies in its spread") {
  const RunRecord before = timed_run({2.0, 2.2, 2.4}), after = timed_run({3.0, 3.1, 3.2});
  const std::vector<ComparedResult> rows = compare_runs(before, after, 0.05);
  REQUIRE(rows.at(0).ratio);
  CHECK(rows[0].ratio->value == Approx(1.5));
  CHECK(rows[0].ratio->low < 1.5);
  CHECK(rows[0].ratio->high > 1.5);
}

TEST_CASE("results of one file alone are listed") {
  const RunRecord before = timed_run({1.0}, "span"), after = timed_run({1.0}, "cuda-span");
  const std::vector<ComparedResult> rows = compare_runs(before, after, 0.05);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].verdict == Verdict::only_before);
  CHECK(rows[1].verdict == Verdict::only_after);
  const std::string text = comparison_text(rows, before.machine, after.machine);
  CHECK(text.find("Only in the older file\n  paper, N = 100, M = 10") != text.npos);
  CHECK(text.find("Only in the newer file") != text.npos);
}

TEST_CASE("equal cases of a file are compared in their order") {
  RunRecord before = timed_run({1.0}), after = timed_run({1.0});
  before.results.push_back(before.results[0]);
  before.results[1].seconds = {4.0};
  after.results.push_back(after.results[0]);
  after.results[1].seconds = {8.0};
  const std::vector<ComparedResult> rows = compare_runs(before, after, 0.05);
  REQUIRE(rows.size() == 2);
  CHECK(rows[0].ratio->value == Approx(1));
  CHECK(rows[1].ratio->value == Approx(2));
}

TEST_CASE("the text has every row and tells where the machines differ") {
  const RunRecord before = test::example_run();
  RunRecord after = before;
  after.machine.cpu = "Another CPU";
  for (double& seconds : after.results[2].seconds) seconds *= 2;
  const std::vector<ComparedResult> rows = compare_runs(before, after, 0.05);
  CHECK(count(rows, Verdict::slower) == 1);
  CHECK(count(rows, Verdict::within_noise) == 93);
  CHECK(count(rows, Verdict::unmeasured) == 2);
  const std::string text = comparison_text(rows, before.machine, after.machine);
  CHECK(text.find("The CPU differs: A CPU & Sons <2 GHz> before, Another CPU now.") != text.npos);
  CHECK(text.find("SLOWER") != text.npos);
  CHECK(text.find("1 slower, 0 faster, 93 within noise") != text.npos);
}

TEST_CASE("what was measured before and is not any more says why") {
  const RunRecord before = timed_run({1.0}), after = timed_run({});
  const std::string text =
      comparison_text(compare_runs(before, after, 0.05), before.machine, after.machine);
  CHECK(text.find("LOST") != text.npos);
  CHECK(text.find("Measured before, but not now\n  paper, N = 100, M = 10, h = 1, five-gaussians: "
                  "span, skipped: would take long\n") != text.npos);
}

TEST_CASE("rows tell cases, methods and times apart") {
  RunRecord run = timed_run({64.2e-6});
  Result& r = run.results[0];
  r.samples = 100000;
  r.weighted = true;
  r.precision = "f64";
  r.kernel = kGaussianKernel;
  const std::string text = comparison_text(compare_runs(run, run, 0.05), run.machine, run.machine);
  CHECK(text.find("N = 100,000, M = 10, h = 1, five-gaussians, weighted  span f64 (gaussian)  "
                  "64.2 us  64.2 us  1.000") != text.npos);
}

TEST_CASE("compare fails on slower results only where that is asked for") {
  const Files slower(timed_run({1.0, 1.1}), timed_run({2.0, 2.1}));
  CHECK_NOTHROW(kCompareCommand.run({{slower.before, slower.after}, ""}));
  CHECK_NOTHROW(kCompareCommand.run({{slower.after, slower.before, "--fail-on-slower"}, ""}));
  CHECK_NOTHROW(
      kCompareCommand.run({{slower.before, slower.after, "--fail-on-slower", "--least", "3"}, ""}));
  CHECK_THROWS_AS(kCompareCommand.run({{slower.before, slower.after, "--fail-on-slower"}, ""}),
                  cli::FailedCheck);
}

TEST_CASE("compare takes two files that are there") {
  CHECK(says(thrown_error([] { kCompareCommand.run({{"one.json"}, ""}); }), "expected two files"));
  CHECK(thrown_error([] {
          kCompareCommand.run({{"/no/a.json", "/no/b.json"}, ""});
        }).kind() == ErrorKind::input);
}

TEST_CASE("a ratio is of the minima and its spread holds it") {
  const Ratio ratio = time_ratio(Values{2, 2.2, 2.4}, Values{3, 3.2, 3.4});
  CHECK(ratio.value == Approx(1.5));
  CHECK(ratio.low == Approx(3 / 2.3));
  CHECK(ratio.high == Approx(3.3 / 2));
  CHECK(ratio.low <= ratio.value);
  CHECK(ratio.value <= ratio.high);
  CHECK_THROWS_AS(time_ratio(Values{1}, Values{}), std::invalid_argument);
}

TEST_CASE("a change is called only beyond the noise and beyond the least share") {
  const Values quiet{1.00, 1.01, 1.02, 1.01}, noisy{1.0, 1.6, 1.4, 1.5}, later{1.2, 1.21, 1.22};
  const auto judge = [](const Values& before, const Values& after, double least = kLeastChange) {
    return judge_change(time_ratio(before, after), least);
  };
  CHECK(judge(quiet, later) == Verdict::slower);
  CHECK(judge(later, quiet) == Verdict::faster);
  CHECK(judge(noisy, later) == Verdict::within_noise);
  CHECK(judge(later, noisy) == Verdict::within_noise);
  CHECK(judge(quiet, quiet) == Verdict::within_noise);
  const Values hardly{1.03, 1.031, 1.032};  // beyond the noise, but by 3 % alone
  CHECK(judge(quiet, hardly) == Verdict::within_noise);
  CHECK(judge(quiet, hardly, 0.01) == Verdict::slower);
}

namespace {

namespace fs = std::filesystem;

/// A folder with results: two methods and two N of the example.
struct Folder {
  test::TemporaryFolder folder;
  std::string input;
  fs::path path = folder.path("");

  Folder() {
    RunRecord run = test::example_run();
    std::erase_if(run.results, [](const Result& r) {
      return r.cells != 10 || r.samples > 1000 || (r.method != "span" && r.method != "openmp");
    });
    input = folder.file("results.json", results_json(run));
  }
};

Error message(std::vector<std::string> arguments) {
  return thrown_error([&] { kReportCommand.run({std::move(arguments), ""}); });
}

}  // namespace

TEST_CASE("report writes a folder or a page, and the plots beside it") {
  const Folder folder;
  const fs::path out = folder.path / "new" / "folder";
  kReportCommand.run({{folder.input, "-o", out.string(), "--quiet"}, ""});
  const std::string text = test::content_of((out / "report.html").string());
  CHECK(text.starts_with("<!DOCTYPE html>"));
  CHECK(text.find("Speed-up over openmp against N") != text.npos);
  CHECK_FALSE(fs::exists(out / "plots"));
  const fs::path page = folder.path / "page.html";
  kReportCommand.run(
      {{folder.input, "-o", page.string(), "--plots", "--quiet", "--baseline", "span"}, ""});
  CHECK(test::content_of(page.string()).find("Speed-up over span against N") != text.npos);
  // Three quantities against N, a roofline and the errors; each as SVG and PNG, light and dark.
  const auto files = std::distance(fs::directory_iterator(folder.path / "plots"), {});
  CHECK(files == 4 * (3 + 1 + 1));
}

TEST_CASE("report says what is wrong with its flags") {
  const Folder folder;
  CHECK(says(message({}), "needs one file"));
  CHECK(says(message({folder.input}), "no page is given"));
  CHECK(says(message({folder.input, "-o", "x.html", "--baseline", "openmpi"}), "openmp"));
  CHECK(message({folder.input, "-o", "/no/such/page.html"}).kind() == ErrorKind::output);
  CHECK(message({"/no/such.json", "-o", "x.html"}).kind() == ErrorKind::input);
  CHECK(
      says(message({folder.folder.file("a.html", "{}"), "-o", folder.path / "a.html"}), "format"));
  CHECK_FALSE(fs::exists("x.html"));
}

TEST_CASE("report names the packages where no Python has its modules") {
  const Folder folder;
  const std::string bare =
      folder.folder.file("bare", "#!/bin/sh\necho \"No module named 'matplotlib'\" >&2\nexit 1\n");
  fs::permissions(bare, fs::perms::owner_all);
  for (const std::string& python : {bare, std::string("/no/such/python")}) {
    const std::string page = folder.path / "page.html";
    const Error error = message({folder.input, "-o", page, "--python", python});
    CHECK(error.kind() == ErrorKind::resources);
    CHECK(says(error, python));
    CHECK(says(error, "python3-matplotlib and python3-jinja2"));
    CHECK_FALSE(fs::exists(page));
  }
}

TEST_CASE("a script that fails leaves no page behind, and the one before as it was") {
  const Folder folder;
  const std::string page = folder.folder.file("page.html", "old");
  const std::string broken = folder.folder.file(
      "broken", "#!/bin/sh\ntest \"$1\" = -c && exit 0\necho 'MemoryError: no room' >&2\nexit 3\n");
  fs::permissions(broken, fs::perms::owner_all);
  const Error error = message({folder.input, "-o", page, "--python", broken});
  CHECK(error.kind() == ErrorKind::resources);
  CHECK(says(error, "ended with 3: MemoryError: no room"));
  CHECK(test::content_of(page) == "old");
}

TEST_CASE("rows on terminals tell precision and kernel") {
  Result r = test::example_run().results.front();
  CHECK(method_text(r) == "naive");
  r.precision = "f64";
  r.kernel = kGaussianKernel;
  CHECK(method_text(r) == "naive f64");
  r.error.reset();
  CHECK(result_row(r).ends_with("  other kernel\n"));
  r.error = 2e-7;  // an engine is compared with the Gaussian
  CHECK(result_row(r).find("2.0e-07") != std::string::npos);
  CHECK(result_row(r).find("other kernel") == std::string::npos);
}
