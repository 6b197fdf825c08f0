#include <algorithm>
#include <catch2/catch.hpp>
#include <set>
#include <string>

#include "bench/example_run.hpp"
#include "bench/measure/statistics.hpp"
#include "bench/report/result_plots.hpp"
#include "bench/results/result_cases.hpp"

using namespace skde;
using namespace skde::bench;

namespace {

const Plot& plot_named(const std::vector<Plot>& plots, const std::string& name) {
  const auto found = std::ranges::find(plots, name, &Plot::name);
  REQUIRE(found != plots.end());
  return *found;
}

const ChartSeries& series_named(const Chart& chart, const std::string& name) {
  const auto found = std::ranges::find(chart.series, name, &ChartSeries::name);
  REQUIRE(found != chart.series.end());
  return *found;
}

const Result& result_of(const RunRecord& run, const std::string& method, std::uint64_t samples,
                        std::int64_t cells) {
  const auto found = std::ranges::find_if(run.results, [&](const Result& r) {
    return r.method == method && r.samples == samples && r.cells == cells;
  });
  REQUIRE(found != run.results.end());
  return *found;
}

}  // namespace

TEST_CASE("each plot has a name of its own") {
  const std::vector<Plot> plots = plots_of(test::example_run(), "openmp");
  std::set<std::string> names;
  for (const Plot& plot : plots) names.insert(plot.name);
  CHECK(names.size() == plots.size());
  // Four quantities against N at four M and against M at four N; two rooflines; errors.
  CHECK(plots.size() == 4 * 8 + 2 + 1);
}

TEST_CASE("times against N are the fastest runs with their spread") {
  const RunRecord run = test::example_run();
  const std::vector<Plot> plots = plots_of(run, "openmp");
  const Chart& chart = plot_named(plots, "paper-time-against-N-m50-h1-five-gaussians").chart;
  CHECK(chart.series.size() == 6);
  const ChartSeries& span = series_named(chart, "span");
  REQUIRE(span.points.size() == 4);
  const Summary times = summarize(result_of(run, "span", 1000, 50).seconds);
  CHECK(span.points[1].x == 1000);
  CHECK(span.points[1].y == times.minimum);
  CHECK(span.points[1].lower == times.minimum);
  CHECK(span.points[1].upper == times.upper_quartile);
  CHECK(chart.notes.empty());
}

TEST_CASE("results without times are on no line but in the notes") {
  const std::vector<Plot> plots = plots_of(test::example_run(), "openmp");
  const Chart& chart = plot_named(plots, "paper-time-against-N-m100-h1-five-gaussians").chart;
  CHECK(series_named(chart, "naive").points.size() == 3);
  REQUIRE(chart.notes.size() == 1);
  CHECK(chart.notes[0].find("naive at N = 10⁵ (skipped: would take") != std::string::npos);
  CHECK(chart.notes[0].find("cuda-span at N = 10⁵ (wrong: differs") != std::string::npos);
}

TEST_CASE("a peer that is off the density is on its line, and the notes say how far") {
  RunRecord run = test::example_run();
  for (Result& r : run.results)
    if (r.method == "openmp") {
      r.status = Status::inexact;
      r.error = r.samples == 1000 ? 0.21 : 0.02;
    }
  const std::vector<Plot> plots = plots_of(run, "span");
  const Chart& chart = plot_named(plots, "paper-time-against-N-m50-h1-five-gaussians").chart;
  CHECK(series_named(chart, "openmp").points.size() == 4);
  REQUIRE(chart.notes.size() == 1);
  CHECK(chart.notes[0] == "Other values than the density: openmp, off by up to 0.21 of the peak");
  // It is nobody's baseline.
  CHECK(usual_baseline(run.results) == "cuda-chop-crop");
}

TEST_CASE("throughput and speed-up follow from the times") {
  const RunRecord run = test::example_run();
  const std::vector<Plot> plots = plots_of(run, "openmp");
  const Result& span = result_of(run, "span", 10000, 25);
  const double best = summarize(span.seconds).minimum;
  const double base = summarize(result_of(run, "openmp", 10000, 25).seconds).minimum;
  const auto value = [&](const std::string& name) {
    return series_named(plot_named(plots, name).chart, "span").points[1].y;
  };
  CHECK(value("paper-updates-against-M-n10000-h1-five-gaussians") == Approx(span.updates / best));
  CHECK(value("paper-samples-against-M-n10000-h1-five-gaussians") == Approx(1e4 / best));
  CHECK(value("paper-speed-up-against-M-n10000-h1-five-gaussians") == Approx(base / best));
  const ChartSeries& itself = series_named(
      plot_named(plots, "paper-speed-up-against-M-n10000-h1-five-gaussians").chart, "openmp");
  CHECK(itself.points[1].upper == 1);
}

TEST_CASE("a method looks the same on every chart") {
  const RunRecord run = test::example_run();
  const MethodNames names(run.results);
  for (const Plot& plot : plots_of(run, "openmp"))
    for (const ChartSeries& series : plot.chart.series)
      CHECK(series.style == names.style(series.name));
}

TEST_CASE("a roofline has the stages that have bytes and operations, under the ceilings") {
  const std::vector<Plot> plots = roofline_plots(test::example_run());
  REQUIRE(plots.size() == 2);
  const Chart& chart = plot_named(plots, "paper-roofline-cpu-1").chart;
  const ChartSeries& span = series_named(chart, "span");
  REQUIRE(span.points.size() == 1);
  CHECK(span.points[0].label == "span: accumulate");
  REQUIRE(chart.references.size() == 2);
  for (const ReferenceLine& line : chart.references)
    CHECK(line.points.front().x < line.points.back().x);
  REQUIRE(chart.notes.size() == 1);
  CHECK(chart.notes[0].find("span zero") != std::string::npos);
}

TEST_CASE("errors against time have a point a method") {
  const std::vector<Plot> plots = error_plots(test::example_run());
  REQUIRE(plots.size() == 1);
  // naive was skipped there, and a wrong result is no time.
  CHECK(plots[0].chart.series.size() == 4);
  for (const ChartSeries& series : plots[0].chart.series) CHECK(series.points.size() == 1);
}

TEST_CASE("Silverman's h belongs together although it changes with N") {
  RunRecord run = test::example_run();
  for (Result& r : run.results) r.h = 2.49118 * std::pow(static_cast<double>(r.samples), -1.0 / 7);
  CHECK(is_silverman(case_of(run.results[0])));
  const std::vector<Plot> plots = plots_of(run, "openmp");
  const Chart& chart = plot_named(plots, "paper-time-against-N-m50-silverman-five-gaussians").chart;
  CHECK(series_named(chart, "span").points.size() == 4);
}

TEST_CASE("methods are told apart by kernel and precision where these differ") {
  RunRecord run = test::example_run();
  run.results[0].kernel = "gaussian";
  run.results[1].precision = "f64";
  const MethodNames names(run.results);
  CHECK(names(run.results[0]) == "naive (gaussian)");
  CHECK(names(run.results[1]) == "openmp f64");
  CHECK(names(run.results[2]) == "span");
}

TEST_CASE("cases are written as their axes write them") {
  CHECK(short_count(1000) == "1000");
  CHECK(short_count(100000) == "10⁵");
  CHECK(short_count(20000000) == "2·10⁷");
  CHECK(short_count(123456) == "123,456");
  CHECK(rate_text(4.2e12, "B") == "4.2 TB/s");
  CHECK(rate_text(12, "") == "12 /s");
  CHECK(usual_baseline(test::example_run().results) == "openmp");
}

TEST_CASE("a method without any time is named once in the notes") {
  RunRecord run = test::example_run();
  for (Result& r : run.results)
    if (r.device == "cuda") {
      r.status = Status::skipped;
      r.reason = "built without the CUDA toolkit";
      r.seconds.clear();
      r.stages.clear();
    }
  const std::vector<Plot> plots = plots_of(run, "openmp");
  const Chart& chart = plot_named(plots, "paper-time-against-N-m50-h1-five-gaussians").chart;
  REQUIRE(chart.notes.size() == 1);
  CHECK(chart.notes[0] ==
        "Not drawn: cuda-naive, cuda-chop-crop, cuda-span (skipped: built without the CUDA "
        "toolkit)");
}

TEST_CASE("times against h have a point a bandwidth, even where a case was measured twice") {
  RunRecord run = test::example_run();
  std::erase_if(run.results, [](const Result& r) { return r.samples != 1000 || r.cells != 50; });
  const std::vector<Result> first = run.results;
  for (const double h : {0.1, 0.3, 1.0})
    for (Result r : first) {
      r.h = h;
      run.results.push_back(r);
    }
  const std::vector<Plot> plots = plots_of(run, "openmp");
  const Chart& chart = plot_named(plots, "paper-time-against-h-n1000-m50-five-gaussians").chart;
  const ChartSeries& span = series_named(chart, "span");
  REQUIRE(span.points.size() == 3);
  CHECK(span.points[0].x == 0.1);
  CHECK(span.points[2].x == 1);
}

TEST_CASE("charts of the cloud that was measured first stand last in their section") {
  RunRecord run = test::example_run();
  const std::vector<Result> first = run.results;
  for (const char* const cloud : {"uniform", "clump"})
    for (Result r : first) {
      r.cloud = cloud;
      run.results.push_back(r);
    }
  const std::vector<Plot> plots = plots_of(run, "openmp");
  REQUIRE(plots[11].section == "Time against N");
  CHECK(plots[0].name == "paper-time-against-N-m10-h1-clump");
  CHECK(plots[11].name == "paper-time-against-N-m100-h1-five-gaussians");
}

TEST_CASE("a ratio is to the baseline in the same precision where there is one") {
  RunRecord run = test::example_run();
  Result f64 = run.results[1];
  f64.precision = "f64";
  run.results.push_back(f64);
  std::vector<const Result*> rows;
  for (const Result& r : run.results) rows.push_back(&r);
  Result asked = run.results[2];
  CHECK(baseline_of(asked, rows, "openmp") == &run.results[1]);
  asked.precision = "f64";
  CHECK(baseline_of(asked, rows, "openmp") == &run.results.back());
  CHECK(baseline_of(asked, rows, "scipy") == nullptr);
}
