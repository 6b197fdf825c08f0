#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/mass_levels.hpp"
#include "cli/command_session.hpp"
#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/report.hpp"
#include "cli/results/shared_tables.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/output/mean_report.hpp"
#include "commands/output/point_files.hpp"
#include "commands/output/summary_documents.hpp"
#include "commands/output/volume_output.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "system/stop_watch.hpp"

namespace skde::cli {
namespace {

using Json = nlohmann::ordered_json;

struct EvalSettings {
  DensityOptions density;
  PointFiles points;
  bool json = false, quiet = false, mass_above = false;
  PointWishes wishes;
};

OptionTable eval_table(EvalSettings& settings) {
  settings.density.request.precision = Precision::f64;
  OptionTable table(
      "skde eval", "CLOUD... --at POINTS -o OUT [FLAGS]",
      "Evaluates the density of one or more point clouds (treated as one cloud) at points. Writes "
      "the file of points again with all its numeric columns, followed by the density.");
  table.group("Points and output");
  add_point_files(table, settings.points);
  table.flag({.name = "log", .help = "natural logarithm of the density, -inf where it is 0"},
             settings.wishes.log);
  table.flag({.name = "loo",
              .help = "leave-one-out: the density at each sample is that of the other samples; for "
                      "one cloud at its own points"},
             settings.wishes.leave_one_out);
  table.flag(
      {.name = "gradient", .help = "adds the gradient of the density as three columns before it"},
      settings.wishes.gradient);
  table.flag(
      {.name = "mass-above",
       .help = "adds the mass of the smallest region that holds the point, as a share of the "
               "total: 0 at the peak, 1 where the density is 0; from the cells of a grid"},
      settings.mass_above);
  add_summary_flags(table, settings.json, settings.quiet);
  add_density_fields(table, settings.density, target::kPoints);
  table.most_used({"at", "output", "log", "loo", "json", "columns", "weights", "kernel",
                   "bandwidth", "engine"});
  table.example("skde eval stars.ply --at probes.csv -o probes_density.csv",
                "an automatic bandwidth, the columns of probes.csv and the density");
  table.example("skde eval stars.npy --loo --log -o stars_scores.npy",
                "leave-one-out log-likelihood of each sample");
  return table;
}

/// Throws Error(usage) for flags of engines if the values are computed without a choice of engines.
void check_engine_flags(const EvalSettings& settings, const ParsedFlags& flags) {
  const DensityRequest& request = settings.density.request;
  const bool unbounded_logs = settings.wishes.log && !request.kernel->is_bounded();
  if (!settings.wishes.leave_one_out && !unbounded_logs) return;
  for (const std::string_view name : {"engine", "precision", "device", "device-memory"}) {
    const bool has_choice =
        name != "precision" &&
        (request.is_automatic() || !engine_entry(request.engine).traits.serves_grids);
    if (flags.has(name) && !has_choice)
      throw Error(ErrorKind::usage,
                  fmt::format("--{} has no effect with {}, whose sums are in double, by --engine "
                              "ranges or cuda-ranges; drop it",
                              name, unbounded_logs ? "--log of an unbounded kernel" : "--loo"));
  }
}

void check_eval(const EvalSettings& settings, const ParsedFlags& flags) {
  const auto& paths = flags.positionals;
  if (paths.empty())
    throw Error(ErrorKind::usage,
                "no input is given: name files of points; see 'skde eval --help'");
  require_inputs(paths);
  if (settings.points.output.empty())
    throw Error(ErrorKind::usage, "no output is given; name a file with -o FILE");
  if (settings.points.at.empty() && paths.size() > 1)
    throw Error(ErrorKind::usage,
                fmt::format("{} clouds are given, but no points to evaluate at", paths.size()),
                {"at", "name a file of points with `at`"});
  if (settings.points.at.empty() && paths.front() == "-")
    throw Error(ErrorKind::usage,
                "standard input can be read only once, as the cloud or as the points",
                {"at", "name a file of points with `at`"});
  if (settings.points.at == "-" && std::ranges::find(paths, "-") != paths.end())
    throw Error(ErrorKind::usage,
                "standard input can be read only once, as the cloud or as the points",
                {"at", "name a file of points with `at`"});
  if (settings.wishes.leave_one_out && !settings.points.at.empty())
    throw Error(ErrorKind::usage, "--loo evaluates at the samples themselves; drop --at");
  if (settings.mass_above && settings.density.files.columns.signed_weights)
    usage_error("--mass-above needs a density; drop --signed-weights");
  if (settings.mass_above && settings.wishes.leave_one_out)
    usage_error(
        "--mass-above has no effect with --loo, whose densities leave out a sample each; drop "
        "one of them");
  check_point_flags(flags, settings.points, settings.density);
  check_point_output(settings.points, settings.density);
}

TargetPoints places_of(const io::PointTable& table, std::span<const std::size_t> rows) {
  std::vector<double> places;
  places.reserve(3 * rows.size());
  for (const std::size_t row : rows)
    for (const double place : table.point(row)) places.push_back(place);
  return TargetPoints(std::move(places));
}

/// Rows of weight 0 are not samples, so leaving them out changes nothing: they get the density of
/// all samples.
PointDensity leave_out_each(CommandSession& session, const EvalSettings& settings,
                            const io::PointTable& table, std::span<const std::size_t> rows,
                            Progress& progress) {
  std::vector<std::size_t> samples, weightless;
  for (const std::size_t row : rows)
    (weight_of(table, row) > 0 ? samples : weightless).push_back(row);
  DensityRequest request = settings.density.request;
  PointDensity own =
      session->evaluate(request, places_of(table, samples), settings.wishes, progress);
  if (weightless.empty()) return own;
  request.device = Device::cpu;
  PointWishes wishes = settings.wishes;
  wishes.leave_one_out = false;
  const PointDensity other =
      session->evaluate(request, places_of(table, weightless), wishes, progress);
  PointDensity all;
  std::size_t taken[2] = {0, 0};
  for (const std::size_t row : rows) {
    const bool is_sample = weight_of(table, row) > 0;
    const PointDensity& from = is_sample ? own : other;
    const std::size_t at = taken[is_sample ? 0 : 1]++;
    all.values.push_back(from.values[at]);
    for (std::size_t a = 0; settings.wishes.gradient && a < 3; ++a)
      all.gradients.push_back(from.gradients[3 * at + a]);
  }
  all.facts = std::move(own.facts);
  all.facts.peak = std::max(all.facts.peak, other.facts.peak);
  return all;
}

/// The result of a run.
struct Evaluation {
  PointDensity density;
  std::vector<double> masses_above{};  ///< if requested
  io::PointTable table;
  std::vector<std::size_t> rows;  ///< rows of the table that have values
  std::vector<Warning> warnings;
  std::uint64_t empty = 0;  ///< points that no sample reaches
  double seconds = 0;
  std::vector<WrittenFile> written;
};

void keep_warnings(Evaluation& run, bool log) {
  run.warnings = run.density.facts.warnings;
  const std::size_t without = run.table.rows() - run.rows.size();
  if (without > 0)
    run.warnings.push_back({"points",
                            fmt::format("{} of {} points have a coordinate or a weight that is not "
                                        "finite; their values are nan",
                                        without, run.table.rows()),
                            {{}, "correct these points"}});
  const double none = log ? std::log(0.0) : 0;
  for (const double value : run.density.values) run.empty += value == none ? 1 : 0;
}

void write_table(const EvalSettings& settings, Evaluation& run) {
  std::vector<std::string> names;
  const bool gradient = settings.wishes.gradient;
  if (gradient) names.insert(names.end(), {"gradient_x", "gradient_y", "gradient_z"});
  names.emplace_back(settings.wishes.log ? "log_density" : "density");
  if (settings.mass_above) names.emplace_back("mass_above");
  const std::vector<Warning> more =
      write_point_columns(settings.points.output, run.table, run.rows, names,
                          [&](std::size_t k, std::vector<double>& row) {
                            for (std::size_t a = 0; gradient && a < 3; ++a)
                              row.push_back(run.density.gradients[3 * k + a]);
                            row.push_back(run.density.values[k]);
                            if (settings.mass_above) row.push_back(run.masses_above[k]);
                          });
  run.warnings.insert(run.warnings.end(), more.begin(), more.end());
}

constexpr std::array<std::string_view, 2> kPointValues{"density", "count"};

/// A result with its settings, for output.
struct EvalShown {
  const EvalSettings* settings;
  const Evaluation* run;

  const DensityFacts& facts() const { return run->density.facts; }
};

void add_lines(Report& report, const EvalShown& shown) {
  const auto& [settings, run] = shown;
  const DensityFacts& facts = shown.facts();
  report.line("samples", counts_text(facts.counts));
  if (facts.blocks) report.line("read", facts.blocks->describe());
  report.line("columns", columns_text(facts.columns, ""));
  report.line("weights", weights_text(facts.moments));
  report.line("kernel", kernel_text(facts.kernel.function, facts.columns));
  add_bandwidth(report, facts.bandwidth);
  if (facts.request.sharpen) report.line("sharpened", sharpened_text(facts.request.sharpen));
  if (has_boundary(facts.boundaries)) report.line("boundary", boundary_text(facts.boundaries));
  report.line("points", fmt::format("{}, of which {} are out of reach of all samples",
                                    format_count(run->rows.size()), format_count(run->empty)));
  report.line("values",
              fmt::format("{}{}, the largest density {}",
                          settings->wishes.leave_one_out ? "leave-one-out, " : "",
                          facts.normalization != Normalization::count ? "integral 1 over all space"
                          : settings->wishes.leave_one_out ? "integral W - w_i over all space"
                                                           : "integral W over all space",
                          format_value(facts.peak)));
  const bool unbounded_logs = settings->wishes.log && !facts.kernel.function->is_bounded();
  report.line("accuracy", unbounded_logs ? fmt::format("logarithms within {:.1g} of those of all "
                                                       "samples",
                                                       facts.error_bound)
                                         : accuracy_text(facts.error_bound, 0, 0));
  report.line("engine", facts.launch_policy.empty()
                            ? facts.engine
                            : fmt::format("{}: {}", facts.engine, facts.launch_policy));
  report.line("took", format_duration(run->seconds));
  add_written(report, run->written);
}

void add_fields(Fields<EvalShown>& add) {
  add.name("evaluation", "skde eval CLOUD... -o OUT --json");
  add("inputs", [](auto& shown) { return shown.settings->density.files.paths; });
  add("points", [](auto& shown) {
    const EvalSettings& settings = *shown.settings;
    return MeanPoints{settings.points.named(settings.density.files), shown.run->table.rows(),
                      shown.run->rows.size(), shown.run->empty};
  });
  add("samples", [](auto& shown) { return shown.facts().counts; });
  add("blocks", kBlocksMeaning, [](auto& shown) { return shown.facts().blocks; });
  add("columns", [](auto& shown) { return shown.facts().columns; });
  add("total_weight", [](auto& shown) { return shown.facts().moments.total_weight(); });
  add("kernel", [](auto& shown) { return shown.facts().kernel.function; });
  add.object("bandwidth", [](auto& part) {
    part("source", [](auto& shown) { return shown.facts().bandwidth.source; });
    part("H", [](auto& shown) { return shown.facts().bandwidth.H; });
  });
  add("sharpened", kSharpenedMeaning, [](auto& shown) { return shown.facts().request.sharpen; });
  add("boundary", kBoundaryMeaning, [](auto& shown) { return shown.facts().boundaries; });
  add("normalization", [](auto& shown) {
    return OneAmong<kPointValues>{word_of(kNormalizations, shown.facts().normalization)};
  });
  add("log", [](auto& shown) { return shown.settings->wishes.log; });
  add("leave_one_out", [](auto& shown) { return shown.settings->wishes.leave_one_out; });
  add("error_bound", kErrorMeaning, [](auto& shown) { return shown.facts().error_bound; });
  add("peak", "the largest density at the points", [](auto& shown) { return shown.facts().peak; });
  add("engine", [](auto& shown) { return shown.facts().engine; });
  add("seconds", [](auto& shown) { return shown.run->seconds; });
  add("warnings", [](auto& shown) { return shown.run->warnings; });
  add("written", [](auto& shown) { return shown.run->written; });
  add.lines(add_lines);
}

WorkForecast forecast_of(const EvalSettings& settings, const Evaluation& run,
                         CommandSession& session, Progress& progress) {
  std::vector<std::size_t> rows = run.rows;
  if (settings.wishes.leave_one_out)
    std::erase_if(rows, [&](std::size_t row) { return !(weight_of(run.table, row) > 0); });
  return session
      ->plan(settings.density.request, places_of(run.table, rows), settings.wishes, progress)
      .forecast;
}

/// Returns the mass above each value, by the density on a grid with the same kernels.
std::vector<double> masses_above(Session& session, const EvalSettings& settings,
                                 const PointDensity& density, Progress& progress) {
  DensityRequest request = settings.density.request;
  request.precision = Precision::f32;
  request.engine = DensityRequest().engine;
  Density cells = session.compute(request, progress);
  const double whole =
      request.normalization == Normalization::count ? cells.facts().moments.total_weight() : 1.0;
  const double inside = cells.facts().sum_in_box / cells.facts().mass_in_box;
  const MassAbove above(cells.take_volume(), whole * inside);
  std::vector<double> shares;
  shares.reserve(density.values.size());
  for (const double value : density.values)
    shares.push_back(above.at(settings.wishes.log ? std::exp(value) : value));
  return shares;
}

CommandResult evaluate(const EvalSettings& settings, const Invocation& invocation) {
  const StopWatch watch;
  TerminalProgress progress(!settings.quiet);
  Evaluation run;
  run.table = settings.points.read(settings.density.files, progress);
  run.rows = rows_with_places(run.table);
  if (run.rows.empty())
    throw Error(ErrorKind::input, fmt::format("{}: holds no points to evaluate at",
                                              settings.points.named(settings.density.files)));
  SessionOptions options;
  options.memory_limit = settings.density.memory_limit;
  options.keeps_samples = false;
  // A session of the command's own need not hold samples that are far from all points.
  const bool in_memory =
      invocation.sessions || settings.wishes.leave_one_out || settings.mass_above;
  CommandSession session(invocation.sessions, settings.density.files, std::move(options), in_memory,
                         progress);
  if (invocation.foretells([&] { return forecast_of(settings, run, session, progress); }))
    return {};
  run.density = settings.wishes.leave_one_out
                    ? leave_out_each(session, settings, run.table, run.rows, progress)
                    : session->evaluate(settings.density.request, places_of(run.table, run.rows),
                                        settings.wishes, progress);
  if (settings.mass_above)
    run.masses_above = masses_above(*session, settings, run.density, progress);
  keep_warnings(run, settings.wishes.log);
  write_table(settings, run);
  run.written.push_back(written_file("points", settings.points.output));
  progress.clear();
  for (const Warning& warning : run.warnings) print_warning("skde", warning);
  run.seconds = watch.seconds();
  return show_result({settings.json, settings.quiet}, EvalShown{&settings, &run});
}

CommandResult run_eval(EvalSettings& settings, const ParsedFlags& flags,
                       const Invocation& invocation) {
  settings.density.files.paths = flags.positionals;
  check_eval(settings, flags);
  assume_widths(flags, settings.density.files, settings.density.request);
  check_engine_flags(settings, flags);
  complete_density_options(flags, settings.density);
  CloudFiles& files = settings.density.files;
  // Finds the middle of the inputs and the unit of depths, which the points use too.
  io::settle_places(files.paths, files.columns, files.non_finite, files.open);
  return evaluate(settings, invocation);
}

}  // namespace

const Command kEval = command<eval_table, run_eval>(
    "eval", "evaluates the density at points, as a column of their file");

const AnyTable& evaluation_document() { return result_table<EvalShown>(); }

}  // namespace skde::cli
