#include <fmt/format.h>

#include "bench/results/comparison.hpp"
#include "bench/results/result_commands.hpp"
#include "cli/exit_code.hpp"
#include "cli/option_table.hpp"
#include "cli/standard_output.hpp"
#include "core/error.hpp"

namespace skde::bench {
namespace {

struct Settings {
  bool fail_on_slower = false;
  double least = kLeastChange;
};

cli::OptionTable make_table(Settings& settings) {
  cli::OptionTable table("skde-bench compare", "OLD.json NEW.json [FLAGS]",
                         "Puts the results of two runs beside each other: the ratio of every "
                         "method's times on every case with its spread, and what got slower "
                         "beyond noise: where even the fastest run takes longer than three of "
                         "four did before.");
  table.group("Judgement");
  table.flag({.name = "fail-on-slower",
              .help = "exit code 1 where something got slower, or has no time any more"},
             settings.fail_on_slower);
  table.value({.name = "least",
               .value = "SHARE",
               .help = "differences of fewer than this share are never called a change",
               .by_default = fmt::format("{}", kLeastChange)},
              settings.least, cli::RealNumber(0));
  table.example("skde-bench compare old/results.json new/results.json", "ratios and verdicts");
  table.example("skde-bench compare old.json new.json --fail-on-slower --least 0.1",
                "for a script that stops at a tenth more");
  return table;
}

}  // namespace

void run_compare(const cli::Invocation& invocation) {
  Settings settings;
  const cli::OptionTable table = make_table(settings);
  const cli::ParsedFlags flags = table.parse(invocation.arguments);
  if (flags.help_wanted) return cli::print(table.help());
  if (flags.positionals.size() != 2)
    throw Error(ErrorKind::usage,
                "skde-bench compare takes two files of results, the older one first");
  const RunRecord before = read_results(flags.positionals[0]);
  const RunRecord after = read_results(flags.positionals[1]);
  const Comparison comparison = compare_runs(before, after, settings.least);
  cli::print(comparison_text(comparison, before, after));
  const std::size_t worse = comparison.count(Verdict::slower) + comparison.count(Verdict::lost);
  if (settings.fail_on_slower && worse > 0)
    throw cli::FailedCheck(
        fmt::format("{} of {} results got slower or have no time any more; see the rows "
                    "marked SLOWER and LOST",
                    worse, comparison.both.size()));
}

}  // namespace skde::bench
