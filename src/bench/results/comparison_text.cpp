#include <fmt/format.h>

#include <utility>

#include "bench/report/log_ticks.hpp"
#include "bench/results/comparison.hpp"
#include "bench/results/result_cases.hpp"
#include "cli/report.hpp"

namespace skde::bench {
namespace {

std::string time_text(const Result& r) {
  if (!is_timed(r.status)) return std::string(status_name(r.status));
  return tick_text(summarize(r.seconds).minimum, TickText::seconds);
}

std::vector<std::string> row_of(const ComparedResult& row, const MethodNames& names) {
  std::string ratio, spread;
  if (row.ratio) {
    ratio = fmt::format("{:.3f}", row.ratio->value);
    spread = fmt::format("{:.3f} - {:.3f}", row.ratio->low, row.ratio->high);
  }
  return {row.before.experiment,
          case_text(case_of(row.before)),
          names(row.before),
          time_text(row.before),
          time_text(row.after),
          ratio,
          spread,
          std::string(verdict_name(row.verdict))};
}

/// "CPU: Xeon before, EPYC now"; what differs between the machines makes ratios say little.
std::string machine_differences(const MachineRecord& before, const MachineRecord& after) {
  const std::pair<const char*, std::pair<std::string, std::string>> kFields[] = {
      {"CPU", {before.cpu, after.cpu}},
      {"cores", {std::to_string(before.cores), std::to_string(after.cores)}},
      {"GPU", {before.gpu, after.gpu}},
      {"driver", {before.driver, after.driver}},
      {"CUDA", {before.cuda, after.cuda}},
      {"compiler", {before.compiler, after.compiler}},
      {"flags", {before.flags, after.flags}},
  };
  std::string text;
  for (const auto& [name, values] : kFields)
    if (values.first != values.second)
      text +=
          fmt::format("The {} differs: {} before, {} now.\n", name, values.first, values.second);
  return text;
}

std::string alone_text(const std::vector<Result>& results, const std::string& title,
                       const MethodNames& names) {
  std::string text;
  for (const Result& r : results)
    text += fmt::format("  {}, {}: {}, {}\n", r.experiment, case_text(case_of(r)), names(r),
                        time_text(r));
  return text.empty() ? "" : "\n" + title + "\n" + text;
}

/// Why results that were measured before are not any more.
std::string lost_text(const Comparison& comparison, const MethodNames& names) {
  std::string text;
  for (const ComparedResult& row : comparison.both)
    if (row.verdict == Verdict::lost)
      text += fmt::format("  {}, {}: {}: {}\n", case_text(case_of(row.after)), names(row.after),
                          status_name(row.after.status), row.after.reason);
  return text.empty() ? "" : "\nMeasured before, but not now\n" + text;
}

}  // namespace

std::string comparison_text(const Comparison& comparison, const RunRecord& before,
                            const RunRecord& after) {
  std::vector<Result> all = before.results;
  all.insert(all.end(), after.results.begin(), after.results.end());
  const MethodNames names(all);
  std::vector<std::vector<std::string>> rows{
      {"experiment", "case", "method", "before", "now", "ratio", "its spread", "verdict"}};
  for (const ComparedResult& row : comparison.both) rows.push_back(row_of(row, names));
  std::string text = machine_differences(before.machine, after.machine);
  if (!text.empty()) text += "\n";
  if (!comparison.both.empty())
    for (const std::string& line :
         cli::aligned_rows(rows, {false, false, false, true, true, true, true}))
      text += line + "\n";
  text += lost_text(comparison, names);
  text += alone_text(comparison.only_before, "Only in the older file", names);
  text += alone_text(comparison.only_after, "Only in the newer file", names);
  return text + fmt::format(
                    "\n{} slower, {} faster, {} within noise, {} lost, {} gained; ratios are "
                    "of the fastest runs, now to before\n",
                    comparison.count(Verdict::slower), comparison.count(Verdict::faster),
                    comparison.count(Verdict::within_noise), comparison.count(Verdict::lost),
                    comparison.count(Verdict::gained));
}

}  // namespace skde::bench
