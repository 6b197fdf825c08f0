#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/standard_error.hpp"
#include "cli/command_session.hpp"
#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/outputs.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/result_table.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/density_runs.hpp"
#include "commands/output/density_output.hpp"
#include "commands/output/picture_flags.hpp"
#include "commands/output/plan_report.hpp"
#include "commands/output/volume_output.hpp"
#include "commands/partial_run.hpp"
#include "core/version.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/slice_sink.hpp"
#include "system/host_memory.hpp"
#include "system/stop_watch.hpp"

namespace skde::cli {
namespace {

struct DensitySettings {
  DensityOptions density;
  CategorySpec categories;
  PartialOptions partial;
  WindowOptions window;
  std::string output, format, picture;
  PictureLook look;
  std::size_t picture_samples = 0;
  io::ArrayValues stored = io::ArrayValues::wide;
  bool json = false, quiet = false, verbose = false, plan = false;
};

constexpr Words<io::ArrayValues, 2> kStoredTypes{
    {{"f16", io::ArrayValues::half}, {"u8", io::ArrayValues::byte}}};

OptionTable density_table(DensitySettings& settings) {
  OptionTable table("skde density", "IN... -o OUT [FLAGS]",
                    "Computes a normalised density on a regular grid from one or more point clouds "
                    "(treated as one cloud; - is standard input), and reports how.");
  table.group("Output");
  add_output_flags(table, settings.output, settings.format);
  table.value({.name = "stored-as",
               .value = "TYPE",
               .help = "stores the values of an npy volume as half floats, f16, or as 8 bits, u8; "
                       "each times the `scale` that the description states",
               .by_default = "the precision",
               .runs = run_kind::kWhole},
              settings.stored, OneOf<io::ArrayValues>(kStoredTypes));
  table.value({.name = "picture",
               .value = "FILE.png",
               .help = "writes three orthogonal maximum projections with axes and a colour bar; "
                       "with `by` those of all categories",
               .names_file = true,
               .runs = run_kind::kWhole | run_kind::kCategories},
              settings.picture);
  add_look_flags(table, settings.look);
  table.value({.name = "picture-samples",
               .value = "N",
               .help = "draws up to N of the samples, evenly chosen, on the picture",
               .by_default = "0",
               .runs = run_kind::kWhole},
              settings.picture_samples, WholeNumber<std::size_t>(0, 1000000));
  table.flag({.name = "plan",
              .help = "reports what the run would do and need, without running it",
              .local = true},
             settings.plan);
  add_summary_flags(table, settings.json, settings.quiet);
  table.flag({.name = "verbose",
              .help = "adds the time of each stage to the summary",
              .local = true,
              .runs = run_kind::kWhole},
             settings.verbose);
  add_density_fields(table, settings.density, target::kGrid | target::kErrors);
  add_category_options(table, settings.density.files, settings.categories);
  add_partial_options(table, settings.partial);
  add_window_options(table, settings.window);
  table.most_used({"output", "picture", "columns", "weights", "kernel", "bandwidth", "bounds",
                   "dims", "engine", "by"});
  table.example("skde density points.ply -o density.vti",
                "automatic bandwidth, 128 cells along the longest side, for ParaView");
  table.example("skde density quakes.csv --columns long,lat,depth --weights mag -o quakes.nc",
                "named columns, weighted, as CF NetCDF");
  table.example("skde density a.npy b.npy --bandwidth 0.5,0.5,2 --spacing 0.25 -o ab.nrrd",
                "two files as one cloud, kernels of fixed half widths, cells of 0.25");
  table.example("skde density late.ply --like early.vti --normalize count -o late.vti",
                "the grid of another volume, in samples per unit volume");
  table.example("skde density points.npy --standard-error -o density.vti",
                "the density and, as a second volume, how sure its values are");
  table.example("skde density cells.csv --by type -o density_{}.vti",
                "one volume per type of cells, on one grid and with one bandwidth");
  table.example("skde density points.npy --part 3/64 --moments m.json -o part_3.skp",
                "partial sums of one part, in a job array; 'skde merge' combines all parts");
  table.example(
      "sensor | skde density - --window 1e6 --every 1e5 --bounds 0,0,0:9,9,9 "
      "--bandwidth 1,1,1 -o live_%06d.vti",
      "the last million samples of a stream, after every hundred thousand");
  table.example("skde density points.npy --dims 1024 --plan",
                "bandwidth, grid, engine, memory and seconds, without a run");
  table.example("zcat points.csv.gz | skde density - --picture look.png",
                "from a pipe, to a picture only");
  return table;
}

/// Returns the input files, which no output may overwrite.
std::vector<std::string> read_files(const DensityOptions& density) {
  std::vector<std::string> read = density.files.paths;
  for (const std::string& other : {density.like_file, density.covariance_file})
    if (!other.empty()) read.push_back(other);
  return read;
}

/// Throws Error(usage) if the picture cannot be written, or a flag needs one that is not wanted.
void check_picture(const DensitySettings& settings, const ParsedFlags& flags,
                   const std::vector<std::string>& read, const std::vector<std::string>& others) {
  if (settings.picture.empty()) require_no_look(flags, "without --picture FILE.png");
  if (settings.picture.empty() && settings.picture_samples > 0)
    throw Error(ErrorKind::usage,
                "--picture-samples has no effect without --picture FILE.png; drop it");
  if (settings.picture.empty()) return;
  require_picture(settings.picture);
  require_not_read(settings.picture, "--picture", read);
  require_other_file(settings.picture, "--picture", others);
  require_writable(settings.picture, "--picture");
}

/// Returns where the volume goes; nothing if only a picture is wanted.
std::optional<VolumeOutput> check_outputs(const DensitySettings& settings,
                                          const ParsedFlags& flags) {
  if (settings.output.empty() && settings.picture.empty() && !settings.plan)
    throw Error(ErrorKind::usage,
                "no output is given; name a volume with -o FILE or a picture with --picture "
                "FILE.png ('skde info' describes a cloud)");
  if (settings.verbose && (settings.json || settings.quiet))
    throw Error(ErrorKind::usage,
                fmt::format("--verbose has no effect with --{}, {}; drop it",
                            settings.json ? "json" : "quiet",
                            settings.json ? "which contains all times" : "which omits them"));
  for (const std::string other : {"format", "stored-as"})
    if (settings.output.empty() && flags.has(other))
      throw Error(ErrorKind::usage, "--" + other + " has no effect without -o FILE; drop it");
  const std::vector<std::string> read = read_files(settings.density);
  std::optional<VolumeOutput> volume;
  if (!settings.output.empty()) volume.emplace(settings.output, settings.format, read);
  if (settings.density.standard_error && settings.density.files.columns.signed_weights)
    throw Error(ErrorKind::usage, "--standard-error needs a density; drop --signed-weights");
  if (settings.density.standard_error && volume)
    require_several_volumes(volume->format(), settings.output);
  else if (settings.density.standard_error && !settings.plan)
    throw Error(ErrorKind::usage, "--standard-error has no effect without -o FILE; drop it");
  check_picture(settings, flags, read,
                volume ? volume->written_paths() : std::vector<std::string>{});
  return volume;
}

/// Reports before the run which blocks it reads of an indexed file, and how it is split into parts
/// or slabs, if it is.
void show_cut(const DensityPlan& plan, TerminalProgress& progress) {
  if (plan.blocks) {
    progress.clear();
    tell(fmt::format("skde: plan: read {}\n", plan.blocks->describe()));
  }
  if (plan.memory.part_samples == 0 && plan.memory.slabs == 1) return;
  progress.clear();
  tell(fmt::format("skde: plan: {}\n", plan.memory.describe()));
}

DensityRun describe_run(const DensitySettings& settings, const DensityFacts& facts,
                        const DensityFiles& files) {
  DensityRun run;
  run.inputs = settings.density.files.paths;
  run.facts = &facts;
  run.covariance = covariance_word(settings.density.request.bandwidth, facts.bandwidth);
  run.units = settings.density.units.empty() ? facts.columns.units() : settings.density.units;
  run.stages = facts.stages;
  run.verbose = settings.verbose;
  add_stages(run.stages, files.stages());
  run.written = files.written();
  return run;
}

/// The standard errors take a second run over as many samples, and need all of them in memory.
void add_standard_error(DensityPlan& plan) {
  plan.forecast = in_turn(plan.forecast, plan.forecast);
  if (plan.obstacle || plan.memory.part_samples == 0) return;
  plan.obstacle = Error(ErrorKind::resources,
                        "the standard error needs all samples in memory, and they do not fit",
                        {"memory_limit", "raise `memory_limit`, or leave out `standard_error`"});
}

/// Plans the density. If `runs`, its sums follow at once.
DensityPlan make_plan(Session& session, const DensitySettings& settings, DensityFiles& files,
                      bool runs, Progress& progress) {
  const bool has_errors = settings.density.standard_error;
  PlanOrders orders = has_errors ? PlanOrders{.sink = &files} : orders_for(files);
  orders.runs = runs;
  DensityPlan plan = session.plan(settings.density.request, progress, orders);
  if (has_errors) add_standard_error(plan);
  return plan;
}

/// Computes the density, and its standard errors if they are wanted.
DensityFacts compute(Session& session, const DensityPlan& plan, const DensityOptions& options,
                     DensityFiles& files, std::optional<StandardErrorFacts>& errors,
                     Progress& progress) {
  if (!options.standard_error) return session.stream(plan, files, progress);
  auto both = stream_with_errors(session, plan, options.memory_limit, files, progress);
  errors = std::move(both.second);
  return std::move(both.first);
}

/// Returns x, y and z of up to `most` samples, evenly chosen.
std::vector<double> some_samples(const Session& session, std::size_t most) {
  if (!session.cloud())
    throw Error(ErrorKind::resources, "the samples to draw do not fit into memory",
                {"memory_limit", "raise `memory_limit`, or leave out `picture_samples`"});
  const SamplesView& points = session.cloud()->points;
  const std::size_t step = (points.size() + most - 1) / most;
  std::vector<double> places;
  for (std::size_t i = 0; i < points.size(); i += step)
    places.insert(places.end(), &points.xyz[3 * i], &points.xyz[3 * i] + 3);
  return places;
}

CommandResult estimate_and_write(const DensitySettings& settings, VolumeOutput* volume,
                                 const Invocation& invocation) {
  const StopWatch watch;
  TerminalProgress progress(!settings.quiet);
  SessionOptions options;
  options.memory_limit = settings.density.memory_limit;
  const bool has_errors = settings.density.standard_error;
  options.keeps_samples = has_errors || settings.picture_samples > 0;
  CommandSession session(invocation.sessions, settings.density.files, std::move(options), false,
                         progress);
  PictureFile picture{settings.picture, settings.look, {}};
  if (settings.picture_samples > 0)
    picture.samples = [&] { return some_samples(*session, settings.picture_samples); };
  DensityFiles files(volume, std::move(picture),
                     {.units = settings.density.units,
                      .command_line = invocation.command_line,
                      .version = kVersion,
                      .standard_error = has_errors});
  const auto planned = [&](bool runs) {
    return make_plan(*session, settings, files, runs, progress);
  };
  if (invocation.foretells([&] {
        const DensityPlan plan = planned(false);
        plan.require_runnable();
        return plan.forecast;
      }))
    return {};
  const DensityPlan plan = planned(!settings.plan);
  if (settings.plan) {
    progress.clear();
    return show_result({settings.json, settings.quiet},
                       PlanShown{plan, settings.density.files.paths});
  }
  if (settings.picture_samples > 0) some_samples(*session, 1);  // or throws before the sums
  if (!settings.quiet && invocation.wants_report) show_cut(plan, progress);
  std::optional<StandardErrorFacts> errors;
  const DensityFacts facts = compute(*session, plan, settings.density, files, errors, progress);
  progress.clear();
  for (const Warning& warning : facts.warnings) print_warning("skde", warning);
  DensityRun run = describe_run(settings, facts, files);
  run.standard_error = errors;
  const SummaryForm form{settings.json, settings.quiet || !invocation.wants_report,
                         takes_standard_output(volume)};
  run.seconds = watch.seconds();
  run.peak_memory = peak_memory();
  return show_result(form, run);
}

/// Estimates a density for each category instead of one.
CommandResult estimate_categories(DensitySettings& settings, const ParsedFlags& flags,
                                  const std::string& command_line) {
  if (settings.output.empty())
    throw Error(ErrorKind::usage, "no output is given; name volumes with -o FILE");
  const CategoryOutput output{settings.output, settings.format, read_files(settings.density)};
  settings.categories.standard_error = settings.density.standard_error;
  check_category_output(output, settings.categories);
  assume_widths(flags, settings.density.files, settings.density.request);
  complete_density_options(flags, settings.density);
  check_picture(settings, flags, output.read, {});
  const PictureFile picture{settings.picture, settings.look, {}};
  return run_categories({&settings.density, settings.categories, output, picture, command_line,
                         settings.json, settings.quiet});
}

/// Sums integers instead of a density: for a part, or repeatedly for the last samples of a stream.
CommandResult sum_whole_numbers(DensitySettings& settings, const ParsedFlags& flags,
                                const std::string& command_line, bool is_window) {
  assume_widths(flags, settings.density.files, settings.density.request);
  complete_density_options(flags, settings.density);
  const SummaryForm form{settings.json, settings.quiet};
  if (!is_window)
    return run_partial({&settings.density, settings.partial, settings.output, form, settings.plan});
  return run_window({&settings.density, settings.window, settings.partial.moments_file,
                     settings.output, settings.format, command_line, form, settings.plan});
}

void refuse_beside_plan(const ParsedFlags& flags) {
  if (!flags.has("plan")) return;
  for (const char* other : {"by", "verbose"})
    if (flags.has(other))
      throw Error(ErrorKind::usage, fmt::format("--plan has no effect with --{}; drop it", other),
                  {"plan", {}});
}

CommandResult run_density(DensitySettings& settings, const ParsedFlags& flags,
                          const Invocation& invocation) {
  settings.density.files.paths = flags.positionals;
  if (flags.positionals.empty())
    throw Error(ErrorKind::usage,
                "no input is given: name files of points, or - for standard input; see 'skde "
                "density --help'");
  require_inputs(flags.positionals);
  check_category_options(flags);
  refuse_beside_plan(flags);
  const bool is_window = is_window_run(flags);
  if (is_window || is_partial_run(flags, settings.output))
    return sum_whole_numbers(settings, flags, invocation.command_line, is_window);
  if (flags.has("by")) return estimate_categories(settings, flags, invocation.command_line);
  std::optional<VolumeOutput> volume = check_outputs(settings, flags);
  if (volume) volume->store(settings.stored, invocation.stream);
  assume_widths(flags, settings.density.files, settings.density.request);
  complete_density_options(flags, settings.density);
  if (settings.density.standard_error) require_standard_error(settings.density.request);
  return estimate_and_write(settings, volume ? &*volume : nullptr, invocation);
}

}  // namespace

const Command kDensity = command<density_table, run_density>(
    "density", "computes a density volume or a picture from a cloud of samples");

}  // namespace skde::cli
