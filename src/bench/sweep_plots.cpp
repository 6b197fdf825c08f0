#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "bench/result_cases.hpp"
#include "bench/result_plots.hpp"
#include "bench/statistics.hpp"

namespace skde::bench {
namespace {

using Rows = std::vector<const Result*>;

/// A sweep is over N or over M.
enum class Sweep { samples, cells };

double x_of(const Result& r, Sweep sweep) {
  return sweep == Sweep::samples ? static_cast<double>(r.samples) : static_cast<double>(r.cells);
}

std::string x_text(const Result& r, Sweep sweep) {
  return sweep == Sweep::samples ? "N = " + short_count(r.samples) : fmt::format("M = {}", r.cells);
}

/// The case without what the sweep changes; Silverman's h changes with N.
CaseKey group_of(const Result& r, Sweep sweep) {
  CaseKey key = case_of(r);
  if (sweep == Sweep::cells) {
    key.cells = 0;
    return key;
  }
  if (is_silverman(key)) key.h = -1;
  key.samples = 0;
  return key;
}

/// The sets of results that make a line: with times at two or more places of x.
std::vector<std::pair<CaseKey, Rows>> groups_of(const RunRecord& run, Sweep sweep) {
  std::map<CaseKey, Rows> groups;
  for (const Result& r : run.results) groups[group_of(r, sweep)].push_back(&r);
  std::vector<std::pair<CaseKey, Rows>> kept;
  for (auto& [key, rows] : groups) {
    std::set<double> places;
    for (const Result* r : rows)
      if (r->status == Status::ok && x_of(*r, sweep) > 0) places.insert(x_of(*r, sweep));
    if (places.size() >= 2) kept.emplace_back(key, std::move(rows));
  }
  return kept;
}

std::string group_text(const CaseKey& key, Sweep sweep) {
  std::string text;
  if (sweep == Sweep::cells)
    text = "N = " + short_count(key.samples);
  else if (key.cells > 0)
    text = fmt::format("M = {}", key.cells);
  const std::string h = key.h < 0 ? "Silverman's h" : bandwidth_text(key);
  for (const std::string& part : {h, cloud_text(key)})
    if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
  return text;
}

std::string file_name(const std::string& quantity, const CaseKey& key, Sweep sweep) {
  std::string text = fmt::format("{}-{}-against-{}", key.experiment, quantity,
                                 sweep == Sweep::samples ? "n" : "m");
  if (sweep == Sweep::cells)
    text += fmt::format("-n{}", key.samples);
  else if (key.cells > 0)
    text += fmt::format("-m{}", key.cells);
  if (key.h != 0) text += key.h < 0 ? "-silverman" : fmt::format("-h{:.4g}", key.h);
  text += "-" + key.cloud + (key.weighted ? "-weighted" : "");
  std::ranges::replace_if(
      text, [](unsigned char c) { return !std::isalnum(c) && c != '-' && c != '.'; }, '-');
  return text;
}

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
          "ratio of the fastest runs; shaded between the quartiles",
          [baseline](const Result& r, const Rows& rows) -> std::optional<ChartPoint> {
            const auto base = std::ranges::find_if(rows, [&](const Result* other) {
              return other->method == baseline && other->status == Status::ok &&
                     case_of(*other) == case_of(r);
            });
            if (base == rows.end()) return {};
            const Ratio ratio = time_ratio(r.seconds, (*base)->seconds);
            return ChartPoint{0, ratio.value, ratio.low, ratio.high, {}};
          }};
}

/// "naive at N = 10⁵: predicted 400 s", the same reasons together.
std::vector<std::string> missing_notes(const Rows& rows, Sweep sweep, const MethodNames& names) {
  std::vector<std::pair<std::string, std::string>> found;  // what is missing by reason
  for (const Result* r : rows) {
    if (r->status == Status::ok) continue;
    const std::string reason = fmt::format("{}: {}", status_name(r->status), r->reason);
    const std::string what = names(*r) + " at " + x_text(*r, sweep);
    const auto same = std::ranges::find(found, reason, &std::pair<std::string, std::string>::first);
    if (same == found.end())
      found.emplace_back(reason, what);
    else
      same->second += ", " + what;
  }
  std::string note;
  for (const auto& [reason, what] : found)
    note += fmt::format("{}{} ({})", note.empty() ? "Not drawn: " : "; ", what, reason);
  return note.empty() ? std::vector<std::string>{} : std::vector{note};
}

Chart sweep_chart(const Quantity& quantity, const CaseKey& key, const Rows& rows, Sweep sweep,
                  const MethodNames& names) {
  Chart chart;
  chart.title = quantity.section + ", " + group_text(key, sweep);
  chart.subtitle = quantity.remark;
  chart.x = sweep == Sweep::samples ? ChartAxis{"N", "samples"} : ChartAxis{"M", "cells a side"};
  chart.y = quantity.axis;
  std::map<std::size_t, ChartSeries> series;
  for (const Result* r : rows) {
    if (r->status != Status::ok) continue;
    std::optional<ChartPoint> point = quantity.point(*r, rows);
    if (!point) continue;
    point->x = x_of(*r, sweep);
    const std::string name = names(*r);
    ChartSeries& line = series[names.style(name)];
    line.name = name;
    line.style = names.style(name);
    line.points.push_back(*point);
  }
  for (auto& [style, line] : series) {
    std::ranges::stable_sort(line.points, {}, &ChartPoint::x);
    chart.series.push_back(std::move(line));
  }
  chart.notes = missing_notes(rows, sweep, names);
  return chart;
}

}  // namespace

std::vector<Plot> sweep_plots(const RunRecord& run, const std::string& baseline) {
  const MethodNames names(run.results);
  std::vector<Quantity> quantities{time_quantity(), updates_quantity(), samples_quantity()};
  if (!baseline.empty()) quantities.push_back(speedup_quantity(baseline));
  const std::array sweeps{std::pair{Sweep::samples, groups_of(run, Sweep::samples)},
                          std::pair{Sweep::cells, groups_of(run, Sweep::cells)}};
  std::vector<Plot> plots;
  for (const Quantity& quantity : quantities)
    for (const auto& [sweep, groups] : sweeps)
      for (const auto& [key, rows] : groups) {
        Chart chart = sweep_chart(quantity, key, rows, sweep, names);
        // A ratio to a method that is not there, or of the baseline with itself, shows nothing.
        if (chart.series.size() < (quantity.name == "speed-up" ? 2U : 1U)) continue;
        plots.push_back({quantity.section + (sweep == Sweep::samples ? " against N" : " against M"),
                         file_name(quantity.name, key, sweep), std::move(chart)});
      }
  return plots;
}

}  // namespace skde::bench
