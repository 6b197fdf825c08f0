#include <algorithm>
#include <map>
#include <utility>

#include "bench/measure/statistics.hpp"
#include "bench/report/log_ticks.hpp"
#include "bench/report/result_plots.hpp"
#include "bench/results/result_cases.hpp"

namespace skde::bench {
namespace {

using Rows = std::vector<const Result*>;

/// Results with an error, also wrong ones with their times, by case; but for the experiment that
/// is about errors only the largest case.
std::map<CaseKey, Rows> cases_with_errors(const RunRecord& run) {
  std::map<CaseKey, Rows> cases;
  for (const Result& r : run.results)
    if (r.error && !r.seconds.empty()) cases[case_of(r)].push_back(&r);
  std::map<std::string, double> most;
  for (const auto& [key, rows] : cases)
    most[key.experiment] = std::max(most[key.experiment], rows.front()->updates);
  std::erase_if(cases, [&](const auto& entry) {
    const auto& [key, rows] = entry;
    return key.experiment != "accuracy" && rows.front()->updates < most[key.experiment];
  });
  return cases;
}

Chart error_chart(const CaseKey& key, const Rows& rows, const MethodNames& names) {
  Chart chart;
  chart.title = "Error against time, " + case_text(key);
  chart.subtitle = "largest difference to the reference in double; fastest run";
  chart.x = {"time", "", AxisScale::log10, TickText::seconds};
  chart.y = {"error", "share of the peak"};
  std::string exact;
  for (const Result* r : rows) {
    const std::string name = names(*r);
    const double seconds = summarize(r->seconds).minimum;
    if (*r->error > 0)
      chart.series.push_back(
          {name, names.style(name), {ChartPoint::plain(seconds, *r->error, name)}, false});
    else
      exact += (exact.empty() ? "No difference at all: " : ", ") + name + " in " +
               tick_text(seconds, TickText::seconds);
  }
  if (!exact.empty()) chart.notes.push_back(exact);
  return chart;
}

}  // namespace

std::vector<Plot> error_plots(const RunRecord& run) {
  const MethodNames names(run.results);
  std::vector<Plot> plots;
  for (const auto& [key, rows] : cases_with_errors(run)) {
    Chart chart = error_chart(key, rows, names);
    if (chart.series.empty()) continue;
    plots.push_back({"Error against time",
                     key.experiment + "-error-against-time-" + std::to_string(plots.size() + 1),
                     std::move(chart)});
  }
  return plots;
}

}  // namespace skde::bench
