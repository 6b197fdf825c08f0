#include "bench/results/result_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "bench/measure/statistics.hpp"
#include "bench/report/html_text.hpp"
#include "bench/report/log_ticks.hpp"
#include "bench/results/result_cases.hpp"
#include "core/grid.hpp"

namespace skde::bench {
namespace {

using Rows = std::vector<const Result*>;

/// Results by case in the order of their first one.
std::vector<std::pair<CaseKey, Rows>> by_case(const RunRecord& run, const std::string& experiment) {
  std::vector<std::pair<CaseKey, Rows>> cases;
  for (const Result& r : run.results) {
    if (r.experiment != experiment) continue;
    const CaseKey key = case_of(r);
    const auto found = std::ranges::find(cases, key, &std::pair<CaseKey, Rows>::first);
    if (found == cases.end())
      cases.emplace_back(key, Rows{&r});
    else
      found->second.push_back(&r);
  }
  return cases;
}

std::vector<std::string> experiments_of(const RunRecord& run) {
  std::vector<std::string> names;
  for (const Result& r : run.results)
    if (std::ranges::find(names, r.experiment) == names.end()) names.push_back(r.experiment);
  return names;
}

std::string cell(const std::string& text) { return "<td>" + html_escaped(text) + "</td>"; }

std::string seconds(double value) { return tick_text(value, TickText::seconds); }

const Result* fastest(const Rows& rows) {
  const Result* best = nullptr;
  for (const Result* r : rows)
    if (r->status == Status::ok &&
        (!best || std::ranges::min(r->seconds) < std::ranges::min(best->seconds)))
      best = r;
  return best;
}

std::string factor_text(double factor) {
  return factor < 999.5 ? fmt::format("×{:.3g}", factor) : fmt::format("×{:.0f}", factor);
}

/// Updates a second; of readers and writers, which make none, the bytes of their stage.
std::string throughput(const Result& r, double best) {
  if (r.updates > 0) return rate_text(r.updates / best, "");
  const bool has_bytes = !r.stages.empty() && r.stages.front().bytes;
  return has_bytes ? rate_text(*r.stages.front().bytes / best, "B") : "";
}

std::string error_text(const Result& r) {
  if (is_timed(r.status) && r.kernel == kGaussianKernel) return "other kernel";
  return r.error ? fmt::format("{:.1e}", *r.error) : "";
}

std::string ratio_cell(const Result& r, const Result* base) {
  if (!base) return cell("");
  const Ratio ratio = time_ratio(r.seconds, base->seconds);
  return fmt::format("<td title=\"with the upper quartiles {} to {}\">{}</td>",
                     factor_text(ratio.low), factor_text(ratio.high), factor_text(ratio.value));
}

/// The cells of the times, and of what follows from them.
std::string measured_cells(const Result& r) {
  const Summary s = summarize(r.seconds);
  return cell(seconds(s.minimum)) + cell(seconds(s.median)) +
         cell(seconds(s.lower_quartile) + " – " + seconds(s.upper_quartile)) +
         cell(throughput(r, s.minimum));
}

std::string result_cells(const Result& r, const Rows& rows, const std::string& baseline,
                         const MethodNames& names) {
  // Readers and writers of other formats do not do the same.
  const bool best = r.updates > 0 && rows.size() > 1 && &r == fastest(rows);
  const int columns = baseline.empty() ? 4 : 5;
  const std::string how =
      r.policy.empty() ? "" : fmt::format(" title=\"{}\"", html_escaped(r.policy));
  std::string html = fmt::format("<tr class=\"{}{}\"><th scope=\"row\"{}>{}", status_name(r.status),
                                 best ? " best" : "", how, html_escaped(names(r)));
  if (r.automatic) html += " <abbr title=\"what skde chooses itself on this device\">auto</abbr>";
  html += "</th>";
  if (!is_timed(r.status))
    html +=
        fmt::format("<td colspan=\"{}\" class=\"reason\">{}</td>", columns, html_escaped(r.reason));
  else
    html +=
        measured_cells(r) + (baseline.empty() ? "" : ratio_cell(r, baseline_of(r, rows, baseline)));
  html += fmt::format("<td class=\"error\">{}</td>", error_text(r));
  // The others' reasons stand in the place of their times.
  const std::string why =
      r.status == Status::inexact ? fmt::format(" title=\"{}\"", html_escaped(r.reason)) : "";
  return html + fmt::format("<td{}><span class=\"status\">{}</span></td></tr>\n", why,
                            status_name(r.status));
}

std::string case_head(const CaseKey& key, const Result& first) {
  std::string text = case_text(key);
  if (first.updates > 0)
    text += fmt::format("; {} updates", tick_text(first.updates, TickText::number));
  if (is_silverman(key)) text += "; h by Silverman's rule";
  return fmt::format(
      "<tr class=\"case\"><th colspan=\"8\" scope=\"rowgroup\"><span>{}</span></th></tr>\n",
      html_escaped(text));
}

std::string entry(const std::string& term, const std::string& text) {
  return fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", term, html_escaped(text));
}

std::optional<double> ceiling_of(const RunRecord& run, const std::string& device,
                                 const std::string& name) {
  for (const Ceiling& ceiling : run.ceilings)
    if (ceiling.device == device && ceiling.name == name) return ceiling.per_second;
  return {};
}

std::string share_text(double share) {
  return share < 0.0995 ? fmt::format("{:.2g} %", 100 * share)
                        : fmt::format("{:.0f} %", 100 * share);
}

/// A rate and its share of the ceiling, where one was measured.
std::string rate_cells(std::optional<double> amount, double time, std::optional<double> ceiling,
                       std::string_view unit) {
  if (!amount || !(time > 0)) return cell("") + cell("");
  const double per_second = *amount / time;
  return cell(rate_text(per_second, unit)) + cell(ceiling ? share_text(per_second / *ceiling) : "");
}

}  // namespace

std::string machine_html(const RunRecord& run) {
  const MachineRecord& m = run.machine;
  std::string html = "<dl>\n" + entry("CPU", fmt::format("{}, {} cores", m.cpu, m.cores)) +
                     entry("Memory", format_bytes(m.memory));
  const std::string memory = m.gpu_memory > 0 ? ", " + format_bytes(m.gpu_memory) : "";
  html += entry("GPU", m.gpu + memory);
  html += entry("Driver", m.driver) + entry("CUDA", m.cuda) + entry("Compiler", m.compiler);
  html += entry("Flags", m.flags) + entry("skde", m.version + ", commit " + m.commit);
  return html + entry("Measured", run.date) + entry("Command", run.command_line) + "</dl>\n";
}

std::string limits_html(const RunRecord& run) {
  std::string html;
  if (!run.ceilings.empty()) {
    html +=
        "<table><caption>Rates that the machine reaches in loops that do nothing else</caption>"
        "<thead><tr><th>device</th><th>ceiling</th><th>rate</th></tr></thead><tbody>\n";
    for (const Ceiling& c : run.ceilings)
      html += fmt::format("<tr><th scope=\"row\">{}</th>{}{}</tr>\n", html_escaped(c.device),
                          cell(c.name), cell(rate_text(c.per_second, c.unit == "B" ? "B" : "op")));
    html += "</tbody></table>\n";
  }
  if (!run.overheads.empty()) {
    html +=
        "<table><caption>Runs with nothing to do: one sample on one cell</caption><thead><tr>"
        "<th>method</th><th>time</th></tr></thead><tbody>\n";
    for (const Overhead& o : run.overheads)
      html += fmt::format("<tr><th scope=\"row\">{}</th>{}</tr>\n", html_escaped(o.method),
                          cell(seconds(o.seconds)));
    html += "</tbody></table>\n";
  }
  return html;
}

std::string results_html(const RunRecord& run, const std::string& baseline) {
  const MethodNames names(run.results);
  const std::string against =
      baseline.empty() ? "" : "<th>against " + html_escaped(baseline) + "</th>";
  std::string html;
  for (const std::string& experiment : experiments_of(run)) {
    html += fmt::format(
        "<h3>{}</h3>\n<div class=\"scroll\"><table class=\"results\"><thead><tr><th>method</th>"
        "<th>fastest</th><th>median</th><th>quartiles</th><th>updates/s or B/s</th>{}"
        "<th>error / peak</th><th>status</th></tr></thead>\n",
        html_escaped(experiment), against);
    for (const auto& [key, rows] : by_case(run, experiment)) {
      html += "<tbody>\n" + case_head(key, *rows.front());
      for (const Result* r : rows) html += result_cells(*r, rows, baseline, names);
      html += "</tbody>\n";
    }
    html += "</table></div>\n";
  }
  return html;
}

std::string stages_html(const RunRecord& run) {
  const MethodNames names(run.results);
  std::string rows;
  for (const Result& r : run.results) {
    if (r.stages.empty()) continue;
    rows += fmt::format(
        "<tbody>\n<tr class=\"case\"><th colspan=\"6\" "
        "scope=\"rowgroup\"><span>{}</span></th></tr>\n",
        html_escaped(names(r) + ": " + case_text(case_of(r)) +
                     (r.policy.empty() ? "" : "; " + r.policy)));
    for (const StageRecord& stage : r.stages)
      rows += fmt::format(
          "<tr><th scope=\"row\">{}</th>{}{}{}</tr>\n", html_escaped(stage.stage),
          cell(seconds(stage.seconds)),
          rate_cells(stage.bytes, stage.seconds, ceiling_of(run, r.device, "copy"), "B"),
          rate_cells(stage.operations, stage.seconds, ceiling_of(run, r.device, stage.ceiling),
                     "op"));
    rows += "</tbody>\n";
  }
  if (rows.empty()) return "";
  return "<details><summary>All stages</summary>\n"
         "<div class=\"scroll\"><table class=\"results\"><thead><tr><th>stage</th><th>time</th>"
         "<th>bytes</th><th>of copy</th><th>operations</th><th>of their "
         "ceiling</th></tr></thead>\n" +
         rows + "</table></div></details>\n";
}

}  // namespace skde::bench
