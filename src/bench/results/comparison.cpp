#include "bench/results/comparison.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "bench/bench_commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/options/option_table.hpp"
#include "cli/outputs.hpp"
#include "cli/results/report.hpp"
#include "cli/text/terminal_text.hpp"
#include "core/cloud/statistics.hpp"

namespace skde::bench {
namespace {

/// Returns what two results must have in common to be compared.
auto key_of(const Result& r) {
  return std::tie(r.experiment, r.cloud, r.weighted, r.samples, r.cells, r.h, r.method, r.device,
                  r.kernel, r.precision, r.tolerance, r.widths, r.members);
}

ComparedResult compare(const Result& before, const Result& after, double least) {
  const bool was = is_timed(before.status), is = is_timed(after.status);
  if (!was || !is)
    return {is ? Verdict::gained : was ? Verdict::lost : Verdict::unmeasured, &before, &after};
  const Ratio ratio = time_ratio(before.seconds, after.seconds);
  return {judge_change(ratio, least), &before, &after, ratio};
}

std::string case_text(const Result& r) {
  return (r.samples > 0 ? fmt::format("N = {}, ", cli::format_count(r.samples)) : "") +
         (r.cells > 0 ? fmt::format("M = {}, ", r.cells) : "") +
         (r.h > 0 ? fmt::format("h = {:.4g}, ", r.h) : "") + r.cloud +
         (r.weighted ? ", weighted" : "") + (r.widths.empty() ? "" : ", " + r.widths);
}

std::string name_text(const Result& r) {
  const bool usual = r.kernel.empty() || r.kernel == "epanechnikov";
  return method_text(r) + (usual ? "" : fmt::format(" ({})", r.kernel));
}

std::string time_text(const Result& r) {
  if (!is_timed(r.status)) return std::string(status_name(r.status));
  return duration_text(summarize(r.seconds).minimum);
}

std::vector<std::string> row_of(const ComparedResult& row) {
  const auto& [verdict, before, after, ratio] = row;
  std::vector<std::string> cells{before->experiment, case_text(*before), name_text(*before),
                                 time_text(*before), time_text(*after)};
  cells.push_back(ratio ? fmt::format("{:.3f}", ratio->value) : "");
  cells.push_back(ratio ? fmt::format("{:.3f} - {:.3f}", ratio->low, ratio->high) : "");
  constexpr std::array kNames{"faster", "within noise", "SLOWER", "LOST", "gained", "unmeasured"};
  cells.emplace_back(kNames.at(static_cast<std::size_t>(verdict)));
  return cells;
}

/// The results of a verdict under a title, with their times or why there are none.
std::string listed(const std::vector<ComparedResult>& rows, Verdict verdict,
                   std::string_view title) {
  std::string text;
  for (const ComparedResult& row : rows) {
    if (row.verdict != verdict) continue;
    const Result& r = row.after ? *row.after : *row.before;
    text += fmt::format("  {}, {}: {}, {}{}\n", r.experiment, case_text(r), name_text(r),
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

Ratio time_ratio(std::span<const double> before, std::span<const double> after) {
  const Summary old = summarize(before), now = summarize(after);
  return {now.minimum / old.minimum, now.minimum / old.upper_quartile,
          now.upper_quartile / old.minimum};
}

Verdict judge_change(const Ratio& ratio, double least) {
  if (ratio.low > 1 && ratio.value > 1 + least) return Verdict::slower;
  if (ratio.high < 1 && ratio.value < 1 / (1 + least)) return Verdict::faster;
  return Verdict::within_noise;
}

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
                    "\n{} slower, {} faster, {} within noise, {} lost, {} gained; ratios of the "
                    "fastest runs, now to before\n",
                    count(rows, Verdict::slower), count(rows, Verdict::faster),
                    count(rows, Verdict::within_noise), count(rows, Verdict::lost),
                    count(rows, Verdict::gained));
}

namespace {

struct Judgement {
  bool fail_on_slower = false;
  double least = kLeastChange;
};

cli::OptionTable compare_table(Judgement& settings) {
  cli::OptionTable table(
      "skde-bench compare", "OLD.json NEW.json [FLAGS]",
      "Compares the results of two runs: the ratio of every method's times on every case with its "
      "spread, and the results that got slower beyond noise: those whose fastest run takes longer "
      "than three of four runs did before.");
  table.group("Judgement");
  table.flag({"fail-on-slower", "", "exit code 1 if a result got slower, or has no time any more"},
             settings.fail_on_slower);
  table.value({"least", "SHARE", "smallest share that counts as a difference",
               fmt::format("{}", kLeastChange)},
              settings.least, RealNumber(0));
  table.example("skde-bench compare old/results.json new/results.json", "ratios and verdicts");
  table.example("skde-bench compare old.json new.json --fail-on-slower --least 0.1",
                "for a script that stops at 10 % more");
  return table;
}

void run_compare(Judgement& settings, const cli::ParsedFlags& flags, const cli::Invocation&) {
  if (flags.positionals.size() != 2)
    throw Error(
        ErrorKind::usage,
        "expected two files of results, the older one first; see 'skde-bench compare --help'");
  const RunRecord before = read_results(flags.positionals[0]);
  const RunRecord after = read_results(flags.positionals[1]);
  const std::vector<ComparedResult> rows = compare_runs(before, after, settings.least);
  cli::print(comparison_text(rows, before.machine, after.machine));
  const std::size_t worse = count(rows, Verdict::slower) + count(rows, Verdict::lost);
  if (settings.fail_on_slower && worse > 0)
    throw cli::FailedCheck(fmt::format(
        "{} of {} results got slower or have no time any more; see the rows marked SLOWER and LOST",
        worse, rows.size()));
}

}  // namespace

const cli::Command kCompareCommand =
    cli::command<compare_table, run_compare>("compare", "compares the results of two runs");

}  // namespace skde::bench
