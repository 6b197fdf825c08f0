#include "bench/results/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "bench/results/result_rows.hpp"
#include "cli/report.hpp"

namespace skde::bench {
namespace {

/// What results have in common that belong together.
auto key_of(const Result& r) {
  return std::tie(r.experiment, r.cloud, r.weighted, r.samples, r.cells, r.h, r.method, r.device,
                  r.kernel, r.precision);
}

ComparedResult compare(const Result& before, const Result& after, double least) {
  const bool was = is_timed(before.status), is = is_timed(after.status);
  if (!was || !is)
    return {is ? Verdict::gained : was ? Verdict::lost : Verdict::unmeasured, &before, &after};
  const Ratio ratio = time_ratio(before.seconds, after.seconds);
  // Changes are the first verdicts.
  return {static_cast<Verdict>(judge_change(ratio, least)), &before, &after, ratio};
}

std::string time_text(const Result& r) {
  return is_timed(r.status) ? short_seconds(summarize(r.seconds).minimum)
                            : std::string(status_name(r.status));
}

std::vector<std::string> row_of(const ComparedResult& row) {
  const auto& [verdict, before, after, ratio] = row;
  std::vector<std::string> cells{before->experiment, case_text(*before), method_text(*before),
                                 time_text(*before), time_text(*after)};
  cells.push_back(ratio ? fmt::format("{:.3f}", ratio->value) : "");
  cells.push_back(ratio ? fmt::format("{:.3f} - {:.3f}", ratio->low, ratio->high) : "");
  cells.emplace_back(kVerdictNames[static_cast<std::size_t>(verdict)]);
  return cells;
}

/// The results of a verdict under a title, with their times or why there are none.
std::string listed(const std::vector<ComparedResult>& rows, Verdict verdict,
                   std::string_view title) {
  std::string text;
  for (const ComparedResult& row : rows) {
    if (row.verdict != verdict) continue;
    const Result& r = row.after ? *row.after : *row.before;
    text += fmt::format("  {}, {}: {}, {}{}\n", r.experiment, case_text(r), method_text(r),
                        time_text(r), r.reason.empty() ? "" : ": " + r.reason);
  }
  return text.empty() ? "" : fmt::format("\n{}\n{}", title, text);
}

/// "The CPU differs: Xeon before, EPYC now."; what differs makes ratios say little.
std::string machine_differences(const MachineRecord& before, const MachineRecord& after) {
  std::string text;
  const auto compare = [&](const char* name, const auto& old, const auto& now) {
    if (old != now) text += fmt::format("The {} differs: {} before, {} now.\n", name, old, now);
  };
  compare("CPU", before.cpu, after.cpu);
  compare("cores", before.cores, after.cores);
  compare("GPU", before.gpu, after.gpu);
  compare("driver", before.driver, after.driver);
  compare("CUDA", before.cuda, after.cuda);
  compare("compiler", before.compiler, after.compiler);
  compare("flags", before.flags, after.flags);
  return text.empty() ? "" : text + "\n";
}

}  // namespace

std::size_t count(const std::vector<ComparedResult>& rows, Verdict verdict) {
  return static_cast<std::size_t>(std::ranges::count(rows, verdict, &ComparedResult::verdict));
}

std::vector<ComparedResult> compare_runs(const RunRecord& before, const RunRecord& after,
                                         double least) {
  std::vector<ComparedResult> rows;
  std::vector<const Result*> left;
  for (const Result& now : after.results) left.push_back(&now);
  for (const Result& old : before.results) {
    const auto found =
        std::ranges::find_if(left, [&](const Result* now) { return key_of(old) == key_of(*now); });
    rows.push_back(found == left.end() ? ComparedResult{Verdict::only_before, &old, nullptr}
                                       : compare(old, **found, least));
    if (found != left.end()) left.erase(found);
  }
  for (const Result* now : left) rows.push_back({Verdict::only_after, nullptr, now});
  return rows;
}

std::string comparison_text(const std::vector<ComparedResult>& rows, const MachineRecord& before,
                            const MachineRecord& after) {
  std::vector<std::vector<std::string>> cells{
      {"experiment", "case", "method", "before", "now", "ratio", "its spread", "verdict"}};
  for (const ComparedResult& row : rows)
    if (row.before && row.after) cells.push_back(row_of(row));
  std::string text = machine_differences(before, after);
  if (cells.size() > 1)
    for (const std::string& line :
         cli::aligned_rows(cells, {false, false, false, true, true, true, true}))
      text += line + "\n";
  text += listed(rows, Verdict::lost, "Measured before, but not now");
  text += listed(rows, Verdict::only_before, "Only in the older file");
  text += listed(rows, Verdict::only_after, "Only in the newer file");
  return text + fmt::format(
                    "\n{} slower, {} faster, {} within noise, {} lost, {} gained; ratios are of "
                    "the fastest runs, now to before\n",
                    count(rows, Verdict::slower), count(rows, Verdict::faster),
                    count(rows, Verdict::within_noise), count(rows, Verdict::lost),
                    count(rows, Verdict::gained));
}

}  // namespace skde::bench
