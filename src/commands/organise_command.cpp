#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/organised_files.hpp"
#include "commands/output/point_files.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_output.hpp"
#include "core/version.hpp"
#include "io/points/point_writer.hpp"
#include "order/organised_rows.hpp"
#include "system/stop_watch.hpp"

namespace skde::cli {
namespace {

constexpr Words<ArrangementDevice, 3> kOrganiseEngines{{{"auto", ArrangementDevice::automatic},
                                                        {"cpu", ArrangementDevice::cpu},
                                                        {"gpu", ArrangementDevice::gpu}}};
constexpr std::string_view kAllOthers = "all";

struct OrganiseSettings {
  DensityOptions density;  ///< only its columns of the cloud are used
  std::vector<std::string> others;
  std::string output;
  std::uint64_t seed = 1;
  ArrangementDevice device = ArrangementDevice::automatic;
  int threads = 0;
  bool prune = false, json = false, quiet = false;
};

std::vector<std::string> parse_others(const std::string& given) {
  std::vector<std::string> names = list_of([](const std::string& name) { return name; })(given);
  if (std::ranges::find(names, "") == names.end()) return names;
  throw Error(ErrorKind::usage, fmt::format("must not have empty names; got '{}'", given),
              {"with", "give `with` as names or numbers separated by commas"});
}

void add_row_flags(OptionTable& table, OrganiseSettings& settings) {
  io::ColumnSelection& columns = settings.density.files.columns;
  table.group("Rows");
  table.value(density_field("columns").text, columns.coordinates, parse_columns);
  table.value({.name = "with",
               .value = "COLUMN,...",
               .help = "further columns to compare rows by, as names or numbers (from 1), each in "
                       "units of its deviation; all: every numeric column",
               .by_default = "the coordinates alone, which share one scale"},
              settings.others, parse_others);
  table.value({.name = "weights",
               .value = "COLUMN",
               .help = "name or number of the column of weights, by which rows are compared too",
               .by_default = "no weights"},
              columns.weight);
  table.flag(
      {.name = "prune", .help = "leaves out the rows of least weight, so that the grid is full"},
      settings.prune);
  for (const std::string_view name : {"where", "skip"})
    table.apply(density_field(name).text, [&settings, name](const std::string& given) {
      density_field(name).set(settings.density, given);
    });
}

OptionTable organise_table(OrganiseSettings& settings) {
  OptionTable table("skde organise", "IN -o OUT [FLAGS]",
                    "Puts the rows of a cloud on a grid of about sqrt(N) by sqrt(N) cells so that "
                    "neighbours have "
                    "similar values, and writes them row by row with all numeric columns. If N "
                    "fills no such grid, "
                    "its last cells stay empty.");
  table.group("Output");
  table.value(
      {.name = "output",
       .value = "OUT",
       .help = "file of points to write, which states the grid: " + io::point_writer_extensions() +
               "; or NAME_{}.png: a picture of 16 bits of grey for each column",
       .letter = 'o',
       .names_file = true},
      settings.output);
  add_summary_flags(table, settings.json, settings.quiet);
  add_row_flags(table, settings);
  table.group("Computation");
  table.value({.name = "seed",
               .value = "S",
               .help = "seed of the random choices; the same one gives the same order on the same "
                       "machine",
               .by_default = "1"},
              settings.seed, WholeNumber(0));
  table.value({.name = "engine",
               .value = "auto|cpu|gpu",
               .help = "where to arrange; auto: on the GPU if there is one",
               .by_default = "auto"},
              settings.device, OneOf<ArrangementDevice>(kOrganiseEngines));
  table.value({.name = "threads",
               .value = "N",
               .help = "threads of the CPU, which do not change the order",
               .by_default = "all cores"},
              settings.threads, WholeNumber<int>(1, 4096));
  table.example("skde organise points.ply -o organised.ply", "by the coordinates");
  table.example("skde organise splats.ply --with all --weights opacity --prune -o organised.ply",
                "by all columns; the grid is full");
  table.example("skde organise colours.csv --columns red,green,blue -o plane_{}.png",
                "a picture for each column");
  return table;
}

[[noreturn]] void refuse_flag(const std::string& problem, const char* parameter,
                              std::string suggestion) {
  throw Error(ErrorKind::usage, problem, {parameter, std::move(suggestion)});
}

void check_organise(const OrganiseSettings& settings, const ParsedFlags& flags) {
  if (flags.positionals.size() != 1)
    throw Error(ErrorKind::usage,
                fmt::format("expected one file of points; got {}; see 'skde organise --help'",
                            flags.positionals.size()));
  require_inputs(flags.positionals);
  if (settings.output.empty())
    throw Error(ErrorKind::usage, "no output is given; name a file with -o FILE");
  if (settings.prune && settings.density.files.columns.weight.empty())
    refuse_flag("leaves out the rows of least weight, and no weights are named", "prune",
                "name them with `weights`");
  if (settings.threads > 0 && settings.device == ArrangementDevice::gpu)
    refuse_flag("has no effect on a GPU", "threads", "drop it, or use `engine=cpu`");
  check_organised_output(settings.output, flags.positionals);
}

/// Throws Error(input) if a compared column of a row is not finite, or a weight is below 0.
void require_numbers(const std::string& path, const io::PointTable& table,
                     const std::vector<std::size_t>& compared) {
  for (std::size_t row = 0; row < table.rows(); ++row)
    for (const std::size_t column : compared) {
      const double value = table.at(row, column);
      const bool negative = table.weight == column && value < 0;
      if (std::isfinite(value) && !negative) continue;
      throw Error(ErrorKind::input,
                  fmt::format("{}: row {} has {} in column '{}'", path, row + 1,
                              negative ? "a negative weight" : "a value that is not finite",
                              table.names[column]),
                  {"where", "leave such rows out with `where`"});
    }
}

/// Keeps the rows that fill the grid; returns how many were left out.
std::uint64_t prune_rows(io::PointTable& table) {
  const std::size_t before = table.rows();
  std::vector<double> masses;
  for (std::size_t row = 0; row < before; ++row) masses.push_back(table.at(row, *table.weight));
  table.keep_rows(filling_rows(masses));
  return before - table.rows();
}

/// The compared columns besides the coordinates.
std::vector<std::size_t> compared_columns(const io::PointTable& table, bool all) {
  std::vector<std::size_t> found = table.others;
  if (table.weight) found.push_back(*table.weight);
  for (std::size_t column = 0; all && column < table.names.size(); ++column)
    found.push_back(column);
  std::ranges::sort(found);
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::erase_if(found, [&](std::size_t column) {
    return std::ranges::find(table.xyz, column) != table.xyz.end();
  });
  return found;
}

/// The arranged rows, and how alike neighbours are.
struct OrganiseRun {
  std::string input;
  std::uint64_t rows = 0, pruned = 0, seed = 1;
  std::vector<std::string> columns{};
  std::size_t width = 0, height = 0;
  ArrangementQuality before{}, by_curve{}, after{};
  bool is_curve = false, on_gpu = false;
  double arrange_seconds = 0, seconds = 0;
  std::vector<ColumnPlane> planes{};
  std::vector<WrittenFile> written{};
  std::vector<Warning> warnings{};
};

std::string quality_text(const OrganiseRun& run, double ArrangementQuality::*value) {
  return fmt::format("{} before, {} in Morton order, {} after", format_value(run.before.*value),
                     format_value(run.by_curve.*value), format_value(run.after.*value));
}

OrganiseRun organise(const OrganiseSettings& settings, const std::string& command_line,
                     Progress& progress) {
  const StopWatch watch;
  const CloudFiles& files = settings.density.files;
  io::ColumnSelection columns = files.columns;
  const bool all = settings.others.size() == 1 && settings.others.front() == kAllOthers;
  if (!all) columns.others = settings.others;
  OrganiseRun run{files.paths.front()};
  const bool is_picture = settings.output.ends_with(".png");
  columns.keeps_lines = !is_picture && io::keeps_lines(settings.output);
  io::PointTable table = io::read_point_table(run.input, columns, progress, files.open);
  std::vector<std::size_t> compared(table.xyz.begin(), table.xyz.end());
  const std::vector<std::size_t> others = compared_columns(table, all);
  compared.insert(compared.end(), others.begin(), others.end());
  require_numbers(run.input, table, compared);
  run.warnings = left_out_warnings(table);
  if (!is_picture)
    std::ranges::move(io::carried_warnings(settings.output, table, true),
                      std::back_inserter(run.warnings));
  if (settings.prune) run.pruned = prune_rows(table);
  if (table.rows() == 0)
    throw Error(ErrorKind::input, fmt::format("{}: has no rows to organise", run.input));
  const std::vector<float> values = comparable_values(
      {table.values, table.names.size(), {table.xyz.begin(), table.xyz.end()}, others});
  const OrganisedRows found = organised(
      {values, compared.size(), settings.seed, settings.device, settings.threads}, progress);
  run.rows = table.rows();
  run.seed = settings.seed;
  for (const std::size_t column : compared) run.columns.push_back(table.names[column]);
  run.width = found.arrangement.width;
  run.height = found.arrangement.height;
  run.before = found.before;
  run.by_curve = found.by_curve;
  run.after = found.after;
  run.is_curve = found.is_curve;
  run.on_gpu = found.arrangement.on_gpu;
  run.arrange_seconds = found.arrangement.seconds;
  const io::PointFacts facts{{"grid_width", fmt::format("{}", run.width)},
                             {"grid_height", fmt::format("{}", run.height)},
                             {"seed", fmt::format("{}", run.seed)},
                             {"version", std::string(kVersion)},
                             {"command_line", command_line}};
  const OrganisedFiles files_written =
      write_organised(settings.output, table, found.arrangement, facts, progress);
  run.planes = files_written.planes;
  run.written = files_written.written;
  run.seconds = watch.seconds();
  return run;
}

}  // namespace

void add_fields(Fields<ArrangementQuality>& add) {
  add("distance", "mean Euclidean distance of neighbours, in deviations of the columns",
      &ArrangementQuality::distance);
  add("variance", "VAD: variance of |dx| and that of |dy|, averaged",
      &ArrangementQuality::variance);
}

void add_fields(Fields<ColumnPlane>& add) {
  add("column", &ColumnPlane::column);
  add("low", "the value of grey 0", &ColumnPlane::low);
  add("high", "the value of grey 65535", &ColumnPlane::high);
}

void add_fields(Fields<OrganiseRun>& add) {
  add.name("organised", "skde organise --json");
  add("version", [](auto&) { return kVersion; });
  add("input", &OrganiseRun::input);
  add("rows", "that are on the grid", &OrganiseRun::rows);
  add("pruned", "rows that were left out", &OrganiseRun::pruned);
  add.line("rows", [](auto& run) {
    return format_count(run.rows) +
           (run.pruned > 0 ? fmt::format(", {} left out", format_count(run.pruned)) : "");
  });
  add("columns", "by which rows are compared", &OrganiseRun::columns);
  add.object("grid", [](auto& part) {
    part("width", &OrganiseRun::width);
    part("height", &OrganiseRun::height);
  });
  add.line("grid", [](auto& run) { return fmt::format("{} x {} cells", run.width, run.height); });
  add("before", "neighbours in the given order", &OrganiseRun::before);
  add("morton", "neighbours in Morton order", &OrganiseRun::by_curve);
  add("after", &OrganiseRun::after);
  add.line("distance", [](auto& run) { return quality_text(run, &ArrangementQuality::distance); });
  add.line("VAD", [](auto& run) { return quality_text(run, &ArrangementQuality::variance); });
  add("is_morton", "Morton order was kept, as no better one was found", &OrganiseRun::is_curve);
  add("seed", &OrganiseRun::seed);
  add("device", [](auto& run) { return std::string(run.on_gpu ? "gpu" : "cpu"); });
  add("arrange_seconds", "of the arrangement alone, without the start of a GPU",
      &OrganiseRun::arrange_seconds);
  add("seconds", &OrganiseRun::seconds);
  add.line("took", [](auto& run) {
    return fmt::format("{}; arranging took {} of it, on the {}", format_duration(run.seconds),
                       format_duration(run.arrange_seconds), run.on_gpu ? "GPU" : "CPU");
  });
  add("warnings", &OrganiseRun::warnings);
  add("planes", "the pictures of columns; empty for a file of points", &OrganiseRun::planes);
  add_written(add);
}

namespace {

CommandResult run_organise(OrganiseSettings& settings, const ParsedFlags& flags,
                           const Invocation& invocation) {
  settings.density.files.paths = flags.positionals;
  check_organise(settings, flags);
  TerminalProgress progress(!settings.quiet);
  const OrganiseRun run = organise(settings, invocation.command_line, progress);
  progress.clear();
  for (const Warning& warning : run.warnings) print_warning("skde", warning);
  return show_result({settings.json, settings.quiet}, run);
}

}  // namespace

const Command kOrganise = command<organise_table, run_organise>(
    "organise", "puts the rows of a cloud on a grid so that neighbours have similar values");

const AnyTable& organised_document() { return result_table<OrganiseRun>(); }

}  // namespace skde::cli
