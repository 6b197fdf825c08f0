#include <fmt/core.h>

#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/outputs.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_output.hpp"
#include "order/file_sort.hpp"
#include "system/stop_watch.hpp"

namespace skde::cli {
namespace {

struct SortSettings {
  FileSort job;
  DensityOptions shared;
  SortEngine engine = SortEngine::automatic;
  bool json = false, quiet = false;
};

/// Adds a flag that commands for densities have, too.
void add_shared_flag(OptionTable& table, const char* name, const std::string& help,
                     DensityOptions& options) {
  const DensityField& field = density_field(name);
  FieldText text = field.text;
  if (!help.empty()) text.help = help;
  table.apply(std::move(text),
              [&field, &options](const std::string& given) { field.set(options, given); });
}

void add_sort_flags(OptionTable& table, SortSettings& settings) {
  table.value({.name = "by",
               .value = "morton|hilbert|COLUMN",
               .help = "what to sort by: the place along a curve through the box of the cloud (63 "
                       "bits), or the values of a column, by name or number (from 1)"},
              settings.job.by);
  table.flag({.name = "reverse", .help = "in descending order; equal rows keep their order"},
             settings.job.reverse);
  add_shared_flag(table, "columns", "", settings.shared);
  table.value({.name = "output",
               .value = "OUT",
               .help = "file to write: for NPY, binary PLY and LAS of the same format, otherwise "
                       ".npy, .ply, .csv or .xyz",
               .letter = 'o',
               .names_file = true},
              settings.job.output);
  table.flag({.name = "index",
              .help = "for NPY: keeps the box and count of every 65,536 rows in OUT.json, with "
                      "which later commands read only the rows in their bounds"},
             settings.job.index);
  add_shared_flag(table, "memory-limit",
                  "limit on host memory, such as 4G; larger files are sorted in runs, which take "
                  "as much disk beside OUT as OUT",
                  settings.shared);
  table.value({.name = "engine",
               .value = "auto|cpu|gpu",
               .help = "what sorts the keys; auto is a GPU if there is one",
               .by_default = "auto"},
              settings.engine, OneOf<SortEngine>(kSortEngines));
}

OptionTable sort_table(SortSettings& settings) {
  OptionTable table(
      "skde sort", "IN... --by morton|hilbert|COLUMN -o OUT [FLAGS]",
      "Writes the rows of point clouds in order, as one file. Rows with equal keys keep their "
      "order. "
      "Along a curve, neighbours in space are near in the file. NPY, binary PLY and LAS files keep "
      "all columns and types, and may be larger than memory. Other formats must fit into memory; "
      "their numbers become doubles.");
  add_sort_flags(table, settings);
  add_summary_flags(table, settings.json, settings.quiet);
  table.example("skde sort scan.las --by hilbert -o sorted.las", "a laser scan, along a curve");
  table.example("skde sort cloud.npy --by morton --index -o sorted.npy",
                "with an index, from which 'skde density --bounds' reads a part");
  return table;
}

/// A file in order.
struct SortRun {
  const FileSort& job;
  FileSortFacts facts;
  std::vector<WrittenFile> written{};
  double seconds = 0;
};

std::string order_text(const SortRun& run) {
  return fmt::format("by {}{}", run.job.by, run.job.reverse ? ", in descending order" : "");
}

std::string way_text(const SortRun& run) {
  const std::string where =
      run.facts.runs == 1 ? "in memory" : fmt::format("in {} runs on disk", run.facts.runs);
  return fmt::format("{}, keys on {}", where, run.facts.device);
}

}  // namespace

void add_fields(Fields<SortRun>& add) {
  add.name("sorted", "skde sort IN... --by KEY -o OUT --json");
  add("inputs", [](auto& run) { return run.job.inputs; });
  add("rows", [](auto& run) { return run.facts.rows; });
  add.line("rows", [](auto& run) { return format_count(run.facts.rows); });
  add("by", "morton, hilbert or a column", [](auto& run) { return run.job.by; });
  add("reverse", [](auto& run) { return run.job.reverse; });
  add.line("order", order_text);
  add("columns", [](auto& run) { return run.facts.columns; });
  add("runs", "sorted runs that were merged; 1: all rows fitted into memory",
      [](auto& run) { return run.facts.runs; });
  add("device", "what sorted the keys", [](auto& run) { return run.facts.device; });
  add.line("sorted", way_text);
  add("keeps_types", "false: the columns were written as doubles",
      [](auto& run) { return run.facts.keeps_bytes; });
  add("index_blocks", "blocks of 65,536 rows in the index; 0: none was written",
      [](auto& run) { return run.facts.index_blocks; });
  add("warnings", [](auto& run) { return run.facts.warnings; });
  add("seconds", &SortRun::seconds);
  add.line("time", [](auto& run) { return format_duration(run.seconds); });
  add_written(add);
}

namespace {

CommandResult run_sort(SortSettings& settings, const ParsedFlags& flags,
                       const Invocation& invocation) {
  FileSort& job = settings.job;
  job.inputs = flags.positionals;
  if (job.inputs.empty())
    throw Error(ErrorKind::usage,
                "no input is given: name files of points; see 'skde sort --help'");
  require_inputs(job.inputs);
  if (job.by.empty())
    throw Error(ErrorKind::usage, "no order is given", {"by", "name one with `by=morton`"});
  if (job.output.empty())
    throw Error(ErrorKind::usage, "no output is given; name a file with -o FILE");
  require_not_read(job.output, "-o", job.inputs);
  require_writable(job.output, "-o");
  job.columns = settings.shared.files.columns;
  job.memory_limit = settings.shared.memory_limit;
  if (job.memory_limit == 0) job.memory_limit = invocation.memory_limit;
  const StopWatch watch;
  TerminalProgress progress(!settings.quiet);
  SortRun run{job, sort_files(job, *make_key_sorter(settings.engine), progress)};
  run.written.push_back(written_file("rows", job.output));
  if (job.index) run.written.push_back(written_file("index", job.output + ".json"));
  run.seconds = watch.seconds();
  progress.clear();
  for (const Warning& warning : run.facts.warnings) print_warning("skde", warning);
  return show_result({settings.json, settings.quiet}, run);
}

}  // namespace

const Command kSort = command<sort_table, run_sort>(
    "sort", "writes the rows of a cloud in the order of a curve or of a column");

const AnyTable& sorted_document() { return result_table<SortRun>(); }

}  // namespace skde::cli
