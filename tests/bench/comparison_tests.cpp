#include "bench/results/comparison.hpp"

#include <string>

#include "bench/bench_commands.hpp"
#include "bench/example_run.hpp"
#include "cli/exit_code.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::bench;
using test::says;
using test::thrown_error;
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
  CHECK_NOTHROW(kCompare.run({{slower.before, slower.after}, ""}));
  CHECK_NOTHROW(kCompare.run({{slower.after, slower.before, "--fail-on-slower"}, ""}));
  CHECK_NOTHROW(
      kCompare.run({{slower.before, slower.after, "--fail-on-slower", "--least", "3"}, ""}));
  CHECK_THROWS_AS(kCompare.run({{slower.before, slower.after, "--fail-on-slower"}, ""}),
                  cli::FailedCheck);
}

TEST_CASE("compare takes two files that are there") {
  CHECK(says(thrown_error([] { kCompare.run({{"one.json"}, ""}); }), "expected two files"));
  CHECK(thrown_error([] {
          kCompare.run({{"/no/a.json", "/no/b.json"}, ""});
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
