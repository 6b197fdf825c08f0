#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "bench/report/log_ticks.hpp"
#include "bench/report/result_plots.hpp"
#include "bench/results/result_cases.hpp"

namespace skde::bench {
namespace {

using Rows = std::vector<const Result*>;

/// The measured results with known work that make a roofline: those of a case on a device; but for
/// the experiment that is about stages only of its largest case, by updates.
std::map<std::pair<CaseKey, std::string>, Rows> roofline_cases(const RunRecord& run) {
  std::map<std::pair<CaseKey, std::string>, Rows> found;
  std::map<std::string, double> most;
  const auto has_work = [](const StageRecord& stage) { return stage.bytes && stage.operations; };
  for (const Result& r : run.results) {
    if (r.status != Status::ok || std::ranges::none_of(r.stages, has_work)) continue;
    found[{case_of(r), r.device}].push_back(&r);
    most[r.experiment + r.device] = std::max(most[r.experiment + r.device], r.updates);
  }
  std::erase_if(found, [&](const auto& entry) {
    const Result& first = *entry.second.front();
    return first.experiment != "stages" && first.updates < most[first.experiment + first.device];
  });
  return found;
}

const Ceiling* ceiling_named(const RunRecord& run, const std::string& device,
                             const std::string& name) {
  for (const Ceiling& ceiling : run.ceilings)
    if (ceiling.device == device && ceiling.name == name) return &ceiling;
  return nullptr;
}

/// Operations per byte and operations per second of a stage that has both.
std::optional<ChartPoint> point_of(const StageRecord& stage) {
  if (!(stage.bytes.value_or(0) > 0) || !(stage.operations.value_or(0) > 0)) return {};
  if (!(stage.seconds > 0)) return {};
  return ChartPoint::plain(*stage.operations / *stage.bytes, *stage.operations / stage.seconds);
}

/// The bandwidth as a slope up to the highest ceiling, and the ceilings of operations as levels.
std::vector<ReferenceLine> ceilings_of(const RunRecord& run, const std::string& device,
                                       double lower_x, double upper_x) {
  std::vector<ReferenceLine> lines;
  double highest = 0;
  const Ceiling* const copy = ceiling_named(run, device, "copy");
  for (const Ceiling& ceiling : run.ceilings)
    if (ceiling.device == device && ceiling.unit != "B")
      highest = std::max(highest, ceiling.per_second);
  // A slope that leaves the chart above the highest level would say nothing.
  if (copy && highest > 0) upper_x = std::max(upper_x, 1.5 * highest / copy->per_second);
  for (const Ceiling& ceiling : run.ceilings) {
    if (ceiling.device != device || ceiling.unit == "B") continue;
    const double start = copy ? std::max(lower_x, ceiling.per_second / copy->per_second) : lower_x;
    lines.push_back(
        {fmt::format("{} {}/s", ceiling.name, tick_text(ceiling.per_second, TickText::number)),
         {ChartPoint::plain(std::min(start, 0.5 * upper_x), ceiling.per_second),
          ChartPoint::plain(upper_x, ceiling.per_second)}});
  }
  if (copy) {
    const double end = highest > 0 ? highest / copy->per_second : upper_x;
    lines.push_back({"copy " + rate_text(copy->per_second, "B"),
                     {ChartPoint::plain(lower_x, lower_x * copy->per_second),
                      ChartPoint::plain(std::max(end, 2 * lower_x),
                                        std::max(end, 2 * lower_x) * copy->per_second)},
                     true});
  }
  return lines;
}

std::string cannot_be_drawn(const RunRecord& run, const Result& r, const StageRecord& stage,
                            const std::string& method) {
  if (!stage.bytes || !(stage.seconds > 0)) return "";
  const double rate = *stage.bytes / stage.seconds;
  std::string text = fmt::format("{} {} {}", method, stage.stage, rate_text(rate, "B"));
  if (const Ceiling* copy = ceiling_named(run, r.device, "copy"))
    text += fmt::format(" ({:.0f} % of copy)", 100 * rate / copy->per_second);
  return text;
}

Chart roofline_chart(const RunRecord& run, const Rows& rows) {
  const MethodNames names(run.results);
  const Result& first = *rows.front();
  Chart chart;
  chart.title =
      "Roofline of the stages, " + (first.device == "cuda" ? run.machine.gpu : run.machine.cpu);
  chart.subtitle = case_text(case_of(first));
  chart.x = {"operations a byte", ""};
  chart.y = {"operations a second", ""};
  double lower_x = 0.1, upper_x = 10;
  std::string copies;
  for (const Result* r : rows) {
    ChartSeries series{names(*r), names.style(names(*r)), {}, false};
    for (const StageRecord& stage : r->stages) {
      if (std::optional<ChartPoint> point = point_of(stage)) {
        lower_x = std::min(lower_x, 0.5 * point->x);
        upper_x = std::max(upper_x, 2 * point->x);
        point->label = series.name + ": " + stage.stage;
        series.points.push_back(*point);
      } else if (const std::string text = cannot_be_drawn(run, *r, stage, series.name);
                 !text.empty()) {
        copies += (copies.empty() ? "No operations: " : "; ") + text;
      }
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  chart.references = ceilings_of(run, first.device, lower_x, upper_x);
  if (!copies.empty()) chart.notes.push_back(copies);
  return chart;
}

}  // namespace

std::vector<Plot> roofline_plots(const RunRecord& run) {
  std::vector<Plot> plots;
  for (const auto& [key, rows] : roofline_cases(run)) {
    Chart chart = roofline_chart(run, rows);
    if (chart.series.empty()) continue;
    plots.push_back(
        {"Roofline of the stages",
         fmt::format("{}-roofline-{}-{}", key.first.experiment, key.second, plots.size() + 1),
         std::move(chart)});
  }
  return plots;
}

}  // namespace skde::bench
