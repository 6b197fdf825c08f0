#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/local_means.hpp"
#include "cli/density_options.hpp"
#include "cli/exit_code.hpp"
#include "cli/json_document.hpp"
#include "cli/number_format.hpp"
#include "cli/report_parts.hpp"
#include "cli/standard_output.hpp"
#include "cli/terminal_progress.hpp"
#include "core/stop_watch.hpp"
#include "io/json_object.hpp"
#include "skde/commands.hpp"
#include "skde/point_files.hpp"
#include "skde/volume_output.hpp"

namespace skde::cli {
namespace {

struct Settings {
  DensityOptions density;
  PointFiles points;
  std::vector<std::string> values;
  bool json = false, quiet = false;
};

std::vector<std::string> parse_value_columns(const std::string& given) {
  std::vector<std::string> names = list_of([](const std::string& name) { return name; })(given);
  if (std::ranges::find(names, "") != names.end())
    throw Error(ErrorKind::usage, fmt::format("'{}' holds an empty name", given),
                {"value", "give `value` as names or numbers with commas between them"});
  return names;
}

OptionTable make_table(Settings& settings) {
  OptionTable table("skde smooth", "CLOUD --value COLUMN,... -o OUT [FLAGS]",
                    "Means of columns of a cloud at points, weighted by the kernels of its samples "
                    "(Nadaraya-Watson), and their standard deviations. The points' file is "
                    "written anew with all its columns of numbers and these behind them; nan "
                    "where no sample reaches.");
  table.group("Values, points and output");
  table.value({.name = "value",
               .value = "COLUMN,...",
               .help = "names or numbers (from 1) of the columns of the cloud"},
              settings.values, parse_value_columns);
  add_point_files(table, settings.points);
  table.flag({.name = "json", .help = "the summary as one JSON object on standard output"},
             settings.json);
  table.flag({.name = "quiet", .help = "no progress bar, and no summary but that of --json"},
             settings.quiet);
  add_point_density_options(table, settings.density);
  table.example("skde smooth wells.csv --value nitrate,ph --at probes.csv -o probes_means.csv",
                "two means and deviations at each probe");
  return table;
}

void check(const Settings& settings, const ParsedFlags& flags) {
  const auto& paths = flags.positionals;
  if (paths.size() != 1)
    throw Error(
        ErrorKind::usage,
        fmt::format("{} clouds are named instead of one; see 'skde smooth --help'", paths.size()));
  require_inputs(paths);
  if (settings.values.empty())
    throw Error(ErrorKind::usage, "no column is named whose mean is wanted",
                {"value", "name columns of the cloud with `value`"});
  if (settings.points.output.empty())
    throw Error(ErrorKind::usage, "nothing to write: name a file with -o FILE");
  if (paths.front() == "-" && (settings.points.at.empty() || settings.points.at == "-"))
    throw Error(ErrorKind::usage, "standard input is read once, as a cloud or as points",
                {"at", "name a file of points with `at`"});
  check_point_flags(flags, settings.points, settings.density);
  for (const std::string_view name : {"engine", "precision", "device", "device-memory"})
    if (flags.has(name))
      throw Error(ErrorKind::usage,
                  fmt::format("--{} has no effect on means, which are summed in double on the CPU; "
                              "drop it",
                              name));
  if (settings.density.files.columns.shaped())
    throw Error(ErrorKind::unsupported, "means are not offered for samples with widths in columns",
                {"widths", "leave out `widths`"});
  check_point_output(settings.points, settings.density);
}

/// The samples that have a place, a weight and all values, and those.
struct ValuedSamples {
  Samples samples;
  std::vector<double> values;
  std::uint64_t rows = 0;
};

ValuedSamples usable(const io::PointTable& table, const CloudFiles& files) {
  ValuedSamples found;
  found.rows = table.rows();
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto point = table.point(row);
    const double weight = table.weight ? table.at(row, *table.weight) : 1;
    const auto is_finite = [](double value) { return std::isfinite(value); };
    const bool all = std::ranges::all_of(point, is_finite) && std::isfinite(weight) &&
                     std::ranges::all_of(table.others, [&](std::size_t column) {
                       return std::isfinite(table.at(row, column));
                     });
    const std::string& file = files.paths.front();
    if (!all && files.non_finite == io::NonFinite::error)
      throw Error(ErrorKind::input,
                  fmt::format("{}: row {} has a number that is not finite", file, row + 1),
                  {"nan", "drop such rows with `nan=drop`"});
    if (weight < 0)
      throw Error(ErrorKind::input,
                  fmt::format("{}: row {} has the weight {}, below 0", file, row + 1, weight));
    if (!all || weight == 0) continue;
    found.samples.xyz.insert(found.samples.xyz.end(), point.begin(), point.end());
    if (table.weight) found.samples.weights.push_back(weight);
    for (const std::size_t column : table.others) found.values.push_back(table.at(row, column));
  }
  if (found.samples.size() == 0)
    throw Error(ErrorKind::input,
                fmt::format("{}: no row has a place and all values", files.paths.front()));
  return found;
}

struct Smoothing {
  LocalMeans means;
  io::PointTable cloud, points;
  std::vector<std::size_t> rows;  ///< of the points, that have a place
  std::uint64_t dropped = 0;      ///< rows of the cloud
  std::vector<Warning> warnings;
  double seconds = 0;
  std::vector<WrittenFile> written;
};

void write_table(const Settings& settings, const Smoothing& run) {
  const std::size_t columns = settings.values.size();
  std::vector<std::string> names;
  for (const std::size_t column : run.cloud.others) {
    names.push_back(run.cloud.names[column] + "_mean");
    names.push_back(run.cloud.names[column] + "_deviation");
  }
  write_point_columns(settings.points.output, run.points, run.rows, names,
                      [&](std::size_t k, std::vector<double>& row) {
                        for (std::size_t c = 0; c < columns; ++c) {
                          row.push_back(run.means.means[k * columns + c]);
                          row.push_back(run.means.deviations[k * columns + c]);
                        }
                      });
}

void keep_warnings(Smoothing& run) {
  const auto warn = [&](const char* kind, std::string message, ErrorAdvice advice = {}) {
    run.warnings.push_back({kind, std::move(message), std::move(advice)});
  };
  if (run.dropped > 0)
    warn("samples",
         fmt::format("{} of {} rows of the cloud were dropped: no place, value or weight",
                     run.dropped, run.cloud.rows()));
  if (run.points.rows() > run.rows.size())
    warn("points", fmt::format("{} of {} points have a coordinate that is not finite; their means "
                               "are nan",
                               run.points.rows() - run.rows.size(), run.points.rows()));
  if (run.means.unreached > 0)
    warn("unreached",
         fmt::format("no sample reaches {} of {} points; their means are nan", run.means.unreached,
                     run.rows.size()),
         {"bandwidth", "use a larger `bandwidth`, or the Gaussian"});
  if (!run.points.left_out.empty())
    warn("columns", fmt::format("{} columns that hold no numbers are not written",
                                run.points.left_out.size()));
}

std::string summary_text(const Smoothing& run) {
  const DensityFacts& facts = run.means.facts;
  Report report;
  report.line("samples", fmt::format("{} of {} rows", format_count(facts.moments.count()),
                                     format_count(run.cloud.rows())));
  report.line("kernel", std::string(facts.kernel.function->name));
  report.line("bandwidth", facts.bandwidth.h > 0
                               ? fmt::format("h = {} ({})", format_value(facts.bandwidth.h),
                                             facts.bandwidth.source)
                               : fmt::format("H ({})", facts.bandwidth.source));
  add_matrix(report, "H", facts.bandwidth.H);
  report.line("points",
              fmt::format("{}, of which no sample reaches {}", format_count(run.rows.size()),
                          format_count(run.means.unreached)));
  report.line("took", format_duration(run.seconds));
  add_written(report, run.written);
  return report.text();
}

nlohmann::ordered_json summary_json(const Settings& settings, const Smoothing& run) {
  using Json = nlohmann::ordered_json;
  const DensityFacts& facts = run.means.facts;
  Json json = json_document("smoothing");
  json["inputs"] = settings.density.files.paths;
  json["values"] = Json::array();
  for (const std::size_t column : run.cloud.others)
    json["values"].push_back(run.cloud.names[column]);
  json["points"] = {{"file", settings.points.named(settings.density.files)},
                    {"rows", run.points.rows()},
                    {"evaluated", run.rows.size()},
                    {"unreached", run.means.unreached}};
  json["used"] = facts.moments.count();
  json["dropped"] = run.dropped;
  json["total_weight"] = facts.moments.total_weight();
  json["kernel"] = facts.kernel.function->name;
  json["bandwidth"] = {{"source", facts.bandwidth.source}, {"H", matrix_json(facts.bandwidth.H)}};
  json["boundary"] = boundary_json(facts.boundaries);
  json["seconds"] = run.seconds;
  json["warnings"] = Json::array();
  for (const Warning& warning : run.warnings) json["warnings"].push_back(warning_json(warning));
  json["written"] = written_json(run.written);
  return json;
}

void smooth(const Settings& settings) {
  const StopWatch watch;
  TerminalProgress progress(!settings.quiet);
  const CloudFiles& files = settings.density.files;
  Smoothing run;
  io::ColumnSelection columns = files.columns;
  columns.others = settings.values;
  run.cloud = io::read_point_table(files.paths.front(), columns, progress);
  ValuedSamples found = usable(run.cloud, files);
  run.dropped = found.rows - found.samples.size();
  run.points =
      io::read_point_table(settings.points.named(files), settings.points.columns(files), progress);
  std::vector<double> places;
  for (std::size_t row = 0; row < run.points.rows(); ++row) {
    const auto point = run.points.point(row);
    if (!std::ranges::all_of(point, [](double place) { return std::isfinite(place); })) continue;
    run.rows.push_back(row);
    places.insert(places.end(), point.begin(), point.end());
  }
  if (places.empty())
    throw Error(ErrorKind::input,
                fmt::format("{}: holds no point to smooth at", settings.points.named(files)));
  SessionOptions options;
  options.memory_limit = settings.density.memory_limit;
  Session session(std::move(options));
  session.open(std::move(found.samples));
  run.means = local_means(session, settings.density.request, TargetPoints(std::move(places)),
                          found.values, settings.values.size(), progress);
  keep_warnings(run);
  write_table(settings, run);
  run.written.push_back(written_file("points", settings.points.output));
  progress.clear();
  for (const Warning& warning : run.warnings) print_warning("skde", warning);
  run.seconds = watch.seconds();
  if (settings.json)
    print(io::json_text(summary_json(settings, run)));
  else if (!settings.quiet)
    print(summary_text(run));
}

}  // namespace

void run_smooth(const Invocation& invocation) {
  Settings settings;
  settings.density.request.precision = Precision::f64;
  const OptionTable table = make_table(settings);
  const ParsedFlags flags = table.parse(invocation.arguments);
  if (flags.help_wanted) return print(table.help());
  settings.density.files.paths = flags.positionals;
  check(settings, flags);
  complete_density_options(flags, settings.density);
  smooth(settings);
}

}  // namespace skde::cli
