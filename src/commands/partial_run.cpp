#include "commands/partial_run.hpp"

#include <fmt/core.h>

#include "cli/outputs.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/output/plan_report.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_output.hpp"
#include "estimate/read/input_error.hpp"
#include "estimate/sum/part_sums.hpp"
#include "io/points/partial_sums_file.hpp"
#include "system/stop_watch.hpp"

namespace skde::cli {
namespace {

io::CloudPart parse_part(const std::string& given) {
  const std::size_t slash = given.find('/');
  if (slash == given.npos)
    throw Error(ErrorKind::usage, fmt::format("must be K/N, part K of N; got '{}'", given));
  const WholeNumber number(1, kMostParts);
  const std::uint64_t part = number(given.substr(0, slash)),
                      parts = number(given.substr(slash + 1));
  if (part > parts)
    throw Error(ErrorKind::usage, fmt::format("there is no part {} of {}", part, parts),
                {{}, "count parts from 1"});
  return {part - 1, parts};
}

std::string part_text(const io::CloudPart& part) {
  return fmt::format("{} of {}", part.part + 1, part.parts);
}

/// The sums of a part, and where they were written.
struct PartialShown {
  const PartialRun& run;
  const PartialSums& sums;
  double seconds;
  std::vector<WrittenFile> written;

  const PartialProblem& problem() const { return sums.head.problem; }
};

}  // namespace

void add_fields(Fields<PartialShown>& add) {
  add.name("partial_sums", "skde density -o PART.skp --json");
  add("inputs", [](auto& shown) { return shown.run.density->files.paths; });
  add("part", [](auto& shown) { return shown.run.partial.part.part + 1; });
  add.line("part", [](auto& shown) { return part_text(shown.run.partial.part); });
  add("parts", [](auto& shown) { return shown.run.partial.part.parts; });
  add("samples", [](auto& shown) { return counts_of(shown.sums.head.cloud.rows); });
  add.line("samples", [](auto& shown) { return counts_text(shown.sums.head.cloud); });
  add("engine", "what summed", [](auto& shown) { return shown.sums.summed_by; });
  add.line("engine", [](auto& shown) { return shown.sums.summed_by; });
  add("kernel", [](auto& shown) { return shown.problem().kernel.function; });
  add.line("kernel",
           [](auto& shown) { return std::string(shown.problem().kernel.function->name); });
  add("H", [](auto& shown) { return shown.problem().kernel.H; });
  add.lines([](auto& report, auto& shown) { add_matrix(report, "H", shown.problem().kernel.H); });
  add("binary_digits",
      "binary digits of the integer sums: units of 2^-binary_digits of a sample of weight 1",
      [](auto& shown) { return shown.problem().binary_digits; });
  add("grid", [](auto& shown) {
    return StoredGrid{shown.problem().grid, shown.problem().precision};
  });
  add.lines([](auto& report, auto& shown) {
    const PartialProblem& problem = shown.problem();
    add_grid(report, problem.grid, problem.precision, shown.sums.head.cloud.units);
  });
  add("seconds", &PartialShown::seconds);
  add_written(add);
}

const AnyTable& partial_sums_document() { return result_table<PartialShown>(); }

void add_part_flag(OptionTable& table, io::CloudPart& part) {
  table.value({.name = "part",
               .value = "K/N",
               .help = "part K of N (from 1) of each input: files are divided by bytes without "
                       "reading the rest, pipes by rows and read whole",
               .by_default = "1/1",
               .local = true,
               .runs = ~run_kind::kWindow},
              part, parse_part);
}

void add_partial_options(OptionTable& table, PartialOptions& options) {
  table.group("Parts");
  add_part_flag(table, options.part);
  table.value(
      {.name = "moments",
       .value = "FILE.json",
       .help = "moments of all parts, from 'skde moments' and 'skde merge', which set bandwidth, "
               "box and weights of a part; not needed with --bounds and a --bandwidth of lengths",
       .local = true,
       .names_file = true},
      options.moments_file);
}

bool is_partial_run(const ParsedFlags& flags, const std::string& output) {
  const bool plans_alone = output.empty() && flags.has("plan");
  const bool partial = output.ends_with(io::kPartialSumsExtension) ||
                       (plans_alone && (flags.has("part") || flags.has("moments")));
  for (const std::string_view name : {"part", "moments"})
    if (flags.has(name) && !partial)
      throw Error(ErrorKind::usage,
                  fmt::format("--{} needs partial sums; name a file with -o PART{}", name,
                              io::kPartialSumsExtension));
  if (!partial) return false;
  if (flags.has("normalize"))
    throw Error(ErrorKind::usage,
                "--normalize applies to the merged parts; drop it, and give it to 'skde merge'");
  flags.require_applying(run_kind::kPart, "has no effect on partial sums");
  return true;
}

CommandResult run_partial(const PartialRun& run) {
  const StopWatch watch;
  const DensityOptions& density = *run.density;
  std::vector<std::string> read = density.files.paths;
  if (!run.partial.moments_file.empty()) read.push_back(run.partial.moments_file);
  if (!run.output.empty()) {
    require_not_read(run.output, "-o", read);
    require_writable(run.output, "-o");
  }
  TerminalProgress progress(!run.form.quiet);
  SumsRequest request{density.request, run.partial.part, {}, density.memory_limit};
  if (!run.partial.moments_file.empty())
    request.whole = io::read_moments_file(run.partial.moments_file, density.files.open);
  try {
    const SumsPlan plan = plan_sums(density.files, request);
    if (run.plans) return show_result(run.form, PlanShown{plan, density.files.paths, &plan});
    const PartialSums partial = sum_part(density.files, plan, progress);
    io::write_partial_sums(run.output, partial);
    progress.clear();
    const WrittenFile written = written_file("partial sums", run.output);
    return show_result(run.form, PartialShown{run, partial, watch.seconds(), {written}});
  } catch (const Error& error) {
    throw naming_inputs(error, density.files.paths);
  }
}

}  // namespace skde::cli
