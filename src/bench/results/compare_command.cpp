#include <fmt/format.h>

#include "bench/bench_commands.hpp"
#include "bench/results/comparison.hpp"
#include "cli/exit_code.hpp"
#include "cli/option_table.hpp"
#include "cli/standard_output.hpp"
#include "core/error.hpp"

namespace skde::bench {

void run_compare(const cli::Invocation& invocation) {
  bool fail_on_slower = false;
  double least = kLeastChange;
  cli::OptionTable table("skde-bench compare", "OLD.json NEW.json [FLAGS]",
                         "Puts the results of two runs beside each other: the ratio of every "
                         "method's times on every case with its spread, and what got slower "
                         "beyond noise: where even the fastest run takes longer than three of "
                         "four did before.");
  table.group("Judgement");
  table.flag(
      {"fail-on-slower", "", "exit code 1 where something got slower, or has no time any more"},
      fail_on_slower);
  table.value({"least", "SHARE", "differences of fewer than this share are never called a change",
               fmt::format("{}", kLeastChange)},
              least, cli::RealNumber(0));
  table.example("skde-bench compare old/results.json new/results.json", "ratios and verdicts");
  table.example("skde-bench compare old.json new.json --fail-on-slower --least 0.1",
                "for a script that stops at a tenth more");
  const cli::ParsedFlags flags = table.parse(invocation.arguments);
  if (flags.help_wanted) return cli::print(table.help());
  if (flags.positionals.size() != 2)
    throw Error(ErrorKind::usage,
                "skde-bench compare takes two files of results, the older one first");
  const RunRecord before = read_results(flags.positionals[0]);
  const RunRecord after = read_results(flags.positionals[1]);
  const std::vector<ComparedResult> rows = compare_runs(before, after, least);
  cli::print(comparison_text(rows, before.machine, after.machine));
  const std::size_t worse = count(rows, Verdict::slower) + count(rows, Verdict::lost);
  if (fail_on_slower && worse > 0)
    throw cli::FailedCheck(fmt::format(
        "{} of {} results got slower or have no time any more; see the rows marked SLOWER and LOST",
        worse, rows.size()));
}

}  // namespace skde::bench
