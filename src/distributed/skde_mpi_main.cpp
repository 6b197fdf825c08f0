#include <fmt/core.h>
#include <omp.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/documents/document.hpp"
#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/outputs.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/report.hpp"
#include "cli/results/result_table.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/output/plan_report.hpp"
#include "distributed/distributed_density.hpp"
#include "io/text/json_object.hpp"
#include "system/stop_watch.hpp"

namespace {

using namespace skde;
using namespace skde::cli;

struct Settings {
  DensityOptions density;
  std::string output, format;
  bool plan = false, quiet = false, version = false;
};

OptionTable make_table(Settings& settings) {
  OptionTable table(
      "skde-mpi", "IN... -o OUT [FLAGS]",
      "Computes the density of points on a grid with all ranks of an MPI run. Each rank reads a "
      "part of every file and owns a slab of the grid, which the GPUs of its machine or CPU "
      "threads sum. The values have the same bits on any number of ranks and devices.");
  table.group("Output");
  table.value({.name = "output",
               .value = "FILE",
               .help = "the volume: .vti, .nrrd, .npy or .nc, one file written by all ranks; "
                       ".pvti, with one .vti file of each rank",
               .letter = 'o'},
              settings.output);
  table.value({.name = "format",
               .value = "NAME",
               .help = "vti, nrrd, npy or netcdf",
               .by_default = "by the extension"},
              settings.format);
  table.flag({.name = "plan", .help = "what each rank would do; nothing is summed or written"},
             settings.plan);
  table.flag({.name = "quiet", .help = "no progress and no summary"}, settings.quiet);
  add_density_fields(table, settings.density, target::kGrid);
  table.group("Program");
  table.flag({.name = "version", .help = "version, compiler and optional parts", .letter = 'V'},
             settings.version);
  table.most_used({"output", "format", "quiet", "columns", "weights", "kernel", "bandwidth",
                   "bounds", "dims", "threads"});
  table.example("mpirun -n 8 skde-mpi points.npy --dims 512 -o density.vti",
                "Silverman's bandwidth, on eight ranks");
  return table;
}

/// Parses the flags, which are the same for every rank. Returns none if only help or the version
/// was wanted.
std::optional<DistributedRequest> parse(const std::vector<std::string>& arguments,
                                        Settings& settings, bool prints) {
  const OptionTable table = make_table(settings);
  const ParsedFlags flags = table.parse(arguments);
  if (flags.help_wanted || settings.version) {
    if (prints) print(settings.version ? version_line("skde-mpi") : table.help(flags));
    return std::nullopt;
  }
  if (flags.positionals.empty())
    throw Error(ErrorKind::usage, "no input is given: name files of points");
  require_inputs(flags.positionals);
  for (const std::string& path : flags.positionals)
    if (path == "-")
      throw Error(ErrorKind::usage, "only one rank can read standard input; name files");
  if (settings.output.empty() && !settings.plan)
    throw Error(ErrorKind::usage, "no output is given; name a volume with -o FILE");
  settings.density.files.paths = flags.positionals;
  require_not_read(settings.output, "-o", flags.positionals);
  if (!settings.output.empty()) require_writable(settings.output, "-o");
  assume_widths(flags, settings.density.files, settings.density.request);
  complete_density_options(flags, settings.density);
  DistributedRequest request{settings.density.files,
                             settings.density.request,
                             settings.density.memory_limit,
                             settings.output,
                             settings.format,
                             settings.density.units,
                             "skde-mpi",
                             settings.plan};
  for (const std::string& argument : arguments) request.command_line += " " + argument;
  return request;
}

/// Names what summed, with the number of ranks where that differs.
std::string engines_text(const std::vector<std::string>& summed_by) {
  std::map<std::string, int> ranks;
  for (const std::string& text : summed_by)
    if (!text.empty()) ++ranks[text];
  std::string all;
  for (const auto& [text, count] : ranks)
    all += fmt::format("{}{}{}", all.empty() ? "" : "; ", text,
                       ranks.size() > 1 ? fmt::format(" ({})", count) : "");
  return all;
}

void add_problem(Report& report, const PartialHead& head) {
  report.line("kernel", std::string(head.problem.kernel.function->name));
  add_matrix(report, "H", head.problem.kernel.H);
  add_grid(report, head.problem.grid, head.problem.precision, head.cloud.units);
  if (has_boundary(head.problem.boundaries))
    report.line("boundary", boundary_text(head.problem.boundaries));
}

std::string plan_text(const DistributedResult& result) {
  Report report;
  report.line("samples", counts_text(result.head.cloud));
  add_problem(report, result.head);
  std::vector<std::vector<std::string>> rows{{"", "slices", "engine", "memory", "takes"}};
  for (std::size_t rank = 0; rank < result.plans.size(); ++rank) {
    const DensityPlan plan =
        read_as<PlanShown>(io::parse_json(result.plans[rank], "the plan of a rank"));
    const SliceRange slab = result.slabs[rank];
    const double seconds = plan.forecast.seconds;
    rows.push_back({std::to_string(rank), fmt::format("{} to {}", slab.first, slab.end()),
                    result.summed_by[rank],
                    format_bytes(static_cast<double>(plan.memory.host_bytes)),
                    seconds > 0 ? format_duration(seconds) : "-"});
  }
  report.table("ranks", rows);
  return report.text();
}

std::string summary(const DistributedResult& result, int ranks, double seconds) {
  const PartialHead& head = result.head;
  Report report;
  report.line("ranks", fmt::format("{}, {} of sums in the largest slab", ranks,
                                   format_bytes(static_cast<double>(result.cell_bytes))));
  report.line("engine", engines_text(result.summed_by));
  report.line("samples", counts_text(head.cloud));
  report.line("exchanged",
              fmt::format("{} samples, each counted once for every slab that it reaches",
                          format_count(static_cast<std::uint64_t>(result.sent))));
  add_problem(report, head);
  report.line("peak", format_value(result.facts.peak));
  report.line("time", fmt::format("{:.3g} s", seconds));
  return report.text();
}

/// Returns OMP_NUM_THREADS, or the number of cores that the launcher has given this rank. If every
/// rank has all cores of the machine, returns its share.
int threads_of_rank(const Neighbours& neighbours) {
  if (std::getenv("OMP_NUM_THREADS")) return omp_get_max_threads();
  const int cores = omp_get_num_procs();
  const bool are_all = cores == static_cast<int>(sysconf(_SC_NPROCESSORS_ONLN));
  return are_all ? std::max(1, cores / neighbours.size) : cores;
}

int run(const RankGroup& ranks, const std::vector<std::string>& arguments) {
  const FailureReport told{"skde-mpi", "more ranks, smaller --dims, or --precision f32"};
  const auto report = [&](std::exception_ptr failure) {
    return exit_code_of(told, [&] { std::rethrow_exception(std::move(failure)); });
  };
  try {
    const StopWatch watch;
    Settings settings;
    std::optional<DistributedRequest> request;
    ranks.together([&] { request = parse(arguments, settings, ranks.is_first()); }, report);
    if (!request) return 0;
    int& threads = request->density.options.threads;
    if (threads == 0) threads = threads_of_rank(ranks.neighbours());
    TerminalProgress progress(!settings.quiet && ranks.is_first());
    const DistributedResult result = distribute_density(ranks, *request, report, progress);
    progress.clear();
    ranks.together(
        [&] {
          if (!ranks.is_first()) return;
          for (const Warning& warning : result.facts.warnings) print_warning("skde-mpi", warning);
          if (settings.plan) return print(plan_text(result));
          if (!settings.quiet) print(summary(result, ranks.size(), watch.seconds()));
        },
        report);
    return 0;
  } catch (const RankFailure& failure) {
    return failure.exit_code();
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  if (!arguments.empty() && arguments.front() == kDescribeFlag)  // by the build, without ranks
    return exit_code_of({"skde-mpi", {}}, [&] {
      Settings settings;
      print(*wanted_document(make_table(settings).describe(), arguments));
    });
  const RankGroup ranks(&argc, &argv);
  arguments.assign(argv + (argc > 0 ? 1 : 0), argv + argc);
  return run(ranks, arguments);
}
