#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "bench/measure/statistics.hpp"
#include "bench/measure/sweeps.hpp"
#include "bench/report/result_plots.hpp"

namespace skde::bench {
namespace {

using Rows = std::vector<const Result*>;

/// What is drawn against x. `point` gives y with its bounds, or nothing where a result has none.
struct Quantity {
  std::string section, name;
  ChartAxis axis;
  std::string remark;  ///< what line and shade are
  std::function<std::optional<ChartPoint>(const Result&, const Rows&)> point;
};

ChartPoint rate_point(double work, const Result& r) {
  const Summary s = summarize(r.seconds);
  return {0, work / s.minimum, work / s.upper_quartile, work / s.minimum, {}};
}

Quantity time_quantity() {
  return {"Time",
          "time",
          {"time", "", AxisScale::log10, TickText::seconds},
          "fastest run; shaded up to the upper quartile",
          [](const Result& r, const Rows&) -> std::optional<ChartPoint> {
            const Summary s = summarize(r.seconds);
            return ChartPoint{0, s.minimum, s.minimum, s.upper_quartile, {}};
          }};
}

Quantity updates_quantity() {
  return {"Updates a second",
          "updates",
          {"updates a second", "cells inside the kernels / s"},
          "fastest run; shaded down to the upper quartile of the time",
          [](const Result& r, const Rows&) -> std::optional<ChartPoint> {
            if (!(r.updates > 0)) return {};
            return rate_point(r.updates, r);
          }};
}

Quantity samples_quantity() {
  return {"Samples a second",
          "samples",
          {"samples a second", "samples / s"},
          "fastest run; shaded down to the upper quartile of the time",
          [](const Result& r, const Rows&) -> std::optional<ChartPoint> {
            return rate_point(static_cast<double>(r.samples), r);
          }};
}

Quantity speedup_quantity(const std::string& baseline) {
  return {"Speed-up over " + baseline,
          "speed-up",
          {"times as fast as " + baseline, "", AxisScale::log10, TickText::factor},
          "ratio of the fastest runs; shaded by the upper quartiles of both",
          [baseline](const Result& r, const Rows& rows) -> std::optional<ChartPoint> {
            const Result* const base = baseline_of(r, rows, baseline);
            if (!base) return {};
            // Nothing spreads about a method's ratio to itself.
            if (base == &r) return ChartPoint::plain(0, 1);
            const Ratio ratio = time_ratio(r.seconds, base->seconds);
            return ChartPoint{0, ratio.value, ratio.low, ratio.high, {}};
          }};
}

/// The method's line in the order of x; of several results on one place the first.
void finish_line(ChartSeries& line) {
  std::ranges::stable_sort(line.points, {}, &ChartPoint::x);
  const auto rest = std::ranges::unique(line.points, {}, &ChartPoint::x);
  line.points.erase(rest.begin(), rest.end());
}

Chart sweep_chart(const Quantity& quantity, const SweepGroup& group, Sweep sweep,
                  const MethodNames& names) {
  Chart chart;
  chart.title = quantity.section + ", " + group.text();
  chart.subtitle = quantity.remark;
  chart.x = sweep_axis(sweep);
  chart.y = quantity.axis;
  std::map<std::size_t, ChartSeries> series;
  for (const Result* r : group.rows) {
    if (!is_timed(r->status)) continue;
    std::optional<ChartPoint> point = quantity.point(*r, group.rows);
    if (!point) continue;
    point->x = sweep_value(*r, sweep);
    const std::string name = names(*r);
    ChartSeries& line = series[names.style(name)];
    line.name = name;
    line.style = names.style(name);
    line.points.push_back(*point);
  }
  for (auto& [style, line] : series) {
    finish_line(line);
    chart.series.push_back(std::move(line));
  }
  // First what warns of a line that is there: long notes are cut.
  if (std::string inexact = inexact_text(group, names); !inexact.empty())
    chart.notes.push_back(std::move(inexact));
  if (std::string missing = missing_text(group, sweep, names); !missing.empty())
    chart.notes.push_back(std::move(missing));
  return chart;
}

}  // namespace

std::vector<Plot> sweep_plots(const RunRecord& run, const std::string& baseline) {
  const MethodNames names(run.results);
  std::vector<Quantity> quantities{time_quantity(), updates_quantity(), samples_quantity()};
  if (!baseline.empty()) quantities.push_back(speedup_quantity(baseline));
  std::vector<Plot> plots;
  for (const Quantity& quantity : quantities)
    for (const Sweep sweep : {Sweep::samples, Sweep::cells, Sweep::bandwidth}) {
      const std::string symbol = sweep_symbol(sweep);
      for (const SweepGroup& group : sweep_groups(run, sweep)) {
        Chart chart = sweep_chart(quantity, group, sweep, names);
        // A ratio to a method that is not there, or of the baseline with itself, shows nothing.
        if (chart.series.size() < (quantity.name == "speed-up" ? 2U : 1U)) continue;
        plots.push_back({quantity.section + " against " + symbol,
                         group.key.experiment + "-" + quantity.name + "-against-" + symbol + "-" +
                             group.file_text(),
                         std::move(chart)});
      }
    }
  return plots;
}

}  // namespace skde::bench
