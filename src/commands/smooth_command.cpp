#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "analysis/kernel_regression.hpp"
#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/results/result_table.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/commands.hpp"
#include "commands/output/mean_report.hpp"
#include "commands/output/mean_volumes.hpp"
#include "commands/output/point_files.hpp"
#include "core/version.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/read/input_error.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/memory_plan.hpp"
#include "io/points/point_writer.hpp"
#include "system/host_memory.hpp"
#include "system/stop_watch.hpp"

namespace skde::cli {
namespace {

struct SmoothSettings {
  DensityOptions density;
  PointFiles points;
  std::vector<std::string> values;
  std::string format;
  MeanChoice choice = MeanChoice::both;
  bool at_points = false, json = false, quiet = false;

  MeanOutput volumes() const {
    MeanOutput output{points.output, format, choice, density.files.paths};
    for (const std::string& other : {density.covariance_file, density.like_file})
      if (!other.empty()) output.read.push_back(io::volume_path(other).file);
    return output;
  }
};

std::vector<std::string> parse_value_columns(const std::string& given) {
  std::vector<std::string> names = list_of([](const std::string& name) { return name; })(given);
  if (std::ranges::find(names, "") != names.end())
    throw Error(ErrorKind::usage, fmt::format("must not have empty names; got '{}'", given),
                {"value", "give `value` as names or numbers separated by commas"});
  return names;
}

OptionTable smooth_table(SmoothSettings& settings) {
  OptionTable table("skde smooth", "CLOUD... --value COLUMN,... -o OUT [FLAGS]",
                    "Kernel regression (Nadaraya-Watson): means of columns of a cloud on a grid or "
                    "at points, weighted by the kernels of its samples, and their standard "
                    "deviations; nan where no sample reaches. Grid results are volumes. A file of "
                    "points is written again with all its numeric columns, followed by these.");
  table.group("Values and output");
  table.value({.name = "value",
               .value = "COLUMN,...",
               .help = "names or numbers (from 1) of the columns of the cloud"},
              settings.values, parse_value_columns);
  table.value({.name = "of",
               .value = "both|mean|deviation",
               .help = "quantities to write for each column",
               .by_default = "both"},
              settings.choice, OneOf<MeanChoice>(kMeanChoices));
  table.value({.name = "output",
               .value = "OUT",
               .help = "volumes: one vti or netcdf file of all, or one file each in any format "
                       "with {} in its name; or the file of points: " +
                       io::point_writer_extensions(),
               .letter = 'o',
               .names_file = true},
              settings.points.output);
  add_format_flag(table, settings.format);
  add_at_flags(table, "none: on a grid", settings.points);
  add_summary_flags(table, settings.json, settings.quiet);
  add_density_fields(table, settings.density, target::kMeans);
  table.most_used({"value", "output", "at", "columns", "weights", "kernel", "bandwidth", "bounds",
                   "dims", "like"});
  table.example("skde smooth wells.csv --value nitrate,ph -o means.vti",
                "two means and deviations on a grid, for ParaView");
  table.example("skde smooth wells.csv --value nitrate --of mean -o nitrate.nrrd --like ph.nrrd",
                "one mean on the cells of another volume");
  table.example("skde smooth wells.csv --value nitrate,ph --at probes.csv -o probes_means.csv",
                "two means and deviations at each probe");
  return table;
}

void check_at_points(const SmoothSettings& settings, const ParsedFlags& flags) {
  for (const std::string_view name : {"dims", "spacing", "like", "format", "precision", "units"})
    if (flags.has(name))
      throw Error(
          ErrorKind::usage,
          fmt::format("--{} has no effect with --at, because points have no grid; drop one of them",
                      name));
  const auto& paths = settings.density.files.paths;
  if (settings.points.at == "-" && std::ranges::find(paths, "-") != paths.end())
    throw Error(ErrorKind::usage,
                "standard input can be read only once, as the cloud or as the points",
                {"at", "name a file of points with `at`"});
  check_point_flags(flags, settings.points, settings.density);
  check_point_output(settings.points, settings.density);
}

void check_smooth(const SmoothSettings& settings, const ParsedFlags& flags) {
  if (flags.positionals.empty())
    throw Error(ErrorKind::usage,
                "no input is given: name files of points; see 'skde smooth --help'");
  require_inputs(flags.positionals);
  if (settings.values.empty())
    throw Error(ErrorKind::usage, "no column to average is given",
                {"value", "name columns of the cloud with `value`"});
  if (settings.points.output.empty())
    throw Error(ErrorKind::usage, "no output is given; name a file with -o FILE");
  if (settings.at_points) return check_at_points(settings, flags);
  if (flags.has("at-columns"))
    throw Error(ErrorKind::usage, "--at-columns has no effect without --at; drop it");
  check_mean_output(settings.volumes(), settings.values.size());
}

/// The samples whose coordinates, weight, bandwidth factors and values are all finite, with their
/// values.
struct ValuedCloud {
  std::shared_ptr<const SampleCloud> cloud;
  std::vector<double> values;
};

ValuedCloud read_values(const SmoothSettings& settings, MeanRun& run, Progress& progress) {
  CloudFiles files = settings.density.files;
  files.columns.others = settings.values;
  const std::int64_t limit = settings.density.memory_limit;
  const double room = static_cast<double>(memory_within(limit));
  const double sample = 2 * (host_sample_bytes(true, files.columns.shaped()) +
                             static_cast<double>(sizeof(double) * settings.values.size()));
  io::CloudStream stream(files.paths, files.columns, files.non_finite, {.files = files.open});
  io::LoadedCloud loaded =
      io::load_cloud(stream, static_cast<std::uint64_t>(room / sample), progress);
  if (!loaded.complete)
    throw Error(ErrorKind::resources,
                fmt::format("{}: the samples do not fit into memory", files.paths.front()),
                {"memory_limit", "raise `memory_limit`, or use fewer samples"});
  if (loaded.points.size() == 0)
    throw Error(ErrorKind::input,
                fmt::format("{}: no row has a position and all values", files.paths.front()));
  run.inputs = files.paths;
  run.counts = loaded.counts;
  const std::vector<io::ReadColumn>& read = loaded.columns.widths;
  for (std::size_t i = read.size() - settings.values.size(); i < read.size(); ++i)
    run.values.push_back(read[i].name.empty() ? fmt::format("column {}", read[i].number)
                                              : read[i].name);
  loaded.columns.widths.resize(read.size() - settings.values.size());  // the others are values
  run.columns = loaded.columns;
  std::vector<double> values = std::move(loaded.points.values);
  return {make_cloud(std::move(files), std::move(loaded)), std::move(values)};
}

/// Calls `work`; its errors about the cloud as a whole name the input files.
template <class Work>
auto naming(const std::vector<std::string>& inputs, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    throw naming_inputs(error, inputs);
  }
}

/// The points to smooth at, and the rows of their file with finite coordinates.
struct Places {
  io::PointTable table;
  std::vector<std::size_t> rows;
  TargetPoints places;
};

Places read_places(const SmoothSettings& settings, Progress& progress) {
  const CloudFiles& files = settings.density.files;
  const std::string& file = settings.points.named(files);
  Places found{
      io::read_point_table(file, settings.points.columns(files), progress, files.open), {}, {}};
  std::vector<double> places;
  for (std::size_t row = 0; row < found.table.rows(); ++row) {
    const auto point = found.table.point(row);
    if (!std::ranges::all_of(point, [](double place) { return std::isfinite(place); })) continue;
    found.rows.push_back(row);
    places.insert(places.end(), point.begin(), point.end());
  }
  if (places.empty())
    throw Error(ErrorKind::input, fmt::format("{}: holds no points to smooth at", file));
  found.places = TargetPoints(std::move(places));
  return found;
}

void smooth_at_points(const SmoothSettings& settings, ValuedCloud found, MeanRun& run,
                      Progress& progress) {
  const Places points = read_places(settings, progress);
  const io::PointTable& table = points.table;
  run.points = MeanPoints{settings.points.named(settings.density.files), table.rows(),
                          points.rows.size(), 0};
  SessionOptions options;
  options.memory_limit = settings.density.memory_limit;
  Session session(std::move(options));
  session.open(found.cloud->points, found.cloud);
  const std::size_t columns = settings.values.size();
  KernelRegression means = naming(run.inputs, [&] {
    return kernel_regression(session, settings.density.request, points.places, found.values,
                             columns, progress);
  });
  run.facts = std::move(means.facts);
  run.facts.columns = found.cloud->columns;
  run.unreached = run.points->unreached = means.unreached;
  const std::vector<Warning> more = write_point_columns(
      settings.points.output, table, points.rows, mean_names(run.values, settings.choice),
      [&](std::size_t k, std::vector<double>& row) {
        for (std::size_t c = 0; c < columns; ++c) {
          if (settings.choice != MeanChoice::deviation) row.push_back(means.means[k * columns + c]);
          if (settings.choice != MeanChoice::mean) row.push_back(means.deviations[k * columns + c]);
        }
      });
  run.warnings.insert(run.warnings.end(), more.begin(), more.end());
  run.written.push_back(written_file("points", settings.points.output));
}

WorkForecast forecast_of(const SmoothSettings& settings, const ValuedCloud& found,
                         const MeanRun& run, Progress& progress) {
  const DensityRequest& request = settings.density.request;
  const std::int64_t limit = settings.density.memory_limit;
  const std::size_t columns = settings.values.size();
  return naming(run.inputs, [&] {
    if (!settings.at_points)
      return mean_grid_forecast(found.cloud, request, limit, columns, progress);
    Session session({.memory_limit = limit});
    session.open(found.cloud->points, found.cloud);
    return kernel_regression_forecast(session, request, read_places(settings, progress).places,
                                      columns, progress);
  });
}

void smooth_on_grid(const SmoothSettings& settings, const std::string& command_line,
                    ValuedCloud found, MeanRun& run, Progress& progress) {
  MeanVolumes volumes(settings.volumes(), run.values,
                      {settings.density.units, command_line, kVersion});
  run.precision = settings.density.request.precision;
  const auto check = [&](const Grid& grid) { volumes.expect(grid, run.precision); };
  const auto take = [&](std::size_t column, const MeanGridFacts& facts, const Volume& means,
                        const Volume& deviations) {
    volumes.take(column, facts, means, deviations, progress);
  };
  MeanGridFacts facts = naming(run.inputs, [&] {
    return kernel_regression_on_grid(std::move(found.cloud), settings.density.request,
                                     settings.density.memory_limit, found.values,
                                     settings.values.size(), check, take, progress);
  });
  volumes.finish(progress);
  run.facts = std::move(facts.facts);
  run.unreached = facts.unreached;
  run.written = volumes.written();
}

CommandResult smooth(const SmoothSettings& settings, const Invocation& invocation) {
  const StopWatch watch;
  TerminalProgress progress(!settings.quiet);
  MeanRun run;
  ValuedCloud found = read_values(settings, run, progress);
  if (invocation.foretells([&] { return forecast_of(settings, found, run, progress); })) return {};
  if (settings.at_points)
    smooth_at_points(settings, std::move(found), run, progress);
  else
    smooth_on_grid(settings, invocation.command_line, std::move(found), run, progress);
  keep_warnings(run);
  progress.clear();
  for (const Warning& warning : run.warnings) print_warning("skde", warning);
  run.seconds = watch.seconds();
  return show_result({settings.json, settings.quiet, settings.points.output == "-"}, run);
}

CommandResult run_smooth(SmoothSettings& settings, const ParsedFlags& flags,
                         const Invocation& invocation) {
  settings.density.files.paths = flags.positionals;
  settings.at_points = flags.has("at");
  check_smooth(settings, flags);
  assume_widths(flags, settings.density.files, settings.density.request);
  complete_density_options(flags, settings.density);
  CloudFiles& files = settings.density.files;
  // Finds the middle of the inputs and the unit of depths, which the points use too.
  io::settle_places(files.paths, files.columns, files.non_finite, files.open);
  if (settings.density.memory_limit == 0) settings.density.memory_limit = invocation.memory_limit;
  return smooth(settings, invocation);
}

}  // namespace

const Command kSmooth = command<smooth_table, run_smooth>(
    "smooth", "kernel regression (Nadaraya-Watson): means of columns on a grid or at points");

}  // namespace skde::cli
