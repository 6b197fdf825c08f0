#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <optional>
#include <utility>

#include "cli/cancellation.hpp"
#include "cli/density_options.hpp"
#include "cli/input_error.hpp"
#include "cli/memory_checks.hpp"
#include "cli/output_path.hpp"
#include "cli/standard_output.hpp"
#include "cli/terminal_progress.hpp"
#include "core/host_memory.hpp"
#include "core/stop_watch.hpp"
#include "core/version.hpp"
#include "estimate/density_estimate.hpp"
#include "io/volumes/volume_formats.hpp"
#include "pictures/projection_picture.hpp"
#include "skde/commands.hpp"
#include "skde/density_report.hpp"

namespace skde::cli {
namespace {

struct Settings {
  DensityOptions density;
  std::vector<std::string> inputs;
  std::string output, format, picture;
  bool json = false, quiet = false;
};

OptionTable make_table(Settings& settings) {
  OptionTable table("skde density", "IN... -o OUT [FLAGS]",
                    "Turns one or more point clouds (together one cloud; - is standard input) "
                    "into a normalised density on a regular grid, and says how.");
  table.group("Output");
  table.value({.name = "output",
               .value = "FILE",
               .help = "volume to write; its extension chooses the format, see 'skde formats'",
               .letter = 'o'},
              settings.output);
  table.value(
      {.name = "format", .value = "NAME", .help = "format of the volume, whatever its extension"},
      settings.format);
  table.value({.name = "picture",
               .value = "FILE.png",
               .help = "three orthogonal maximum projections with axes and a colour bar"},
              settings.picture);
  table.flag({.name = "json", .help = "the summary as one JSON object on standard output"},
             settings.json);
  table.flag({.name = "quiet", .help = "no progress bar, and no summary but that of --json"},
             settings.quiet);
  add_density_options(table, settings.density);
  table.example("skde density points.ply -o density.vti",
                "Silverman's bandwidth, 128 cells along the longest side, for ParaView");
  table.example("skde density quakes.csv --columns long,lat,depth --weights mag -o quakes.nc",
                "named columns, weighted, as CF NetCDF");
  table.example("skde density a.npy b.npy --bandwidth 0.5,0.5,2 --spacing 0.25 -o ab.nrrd",
                "two files as one cloud, kernels of fixed half widths, cells of 0.25");
  table.example("skde density late.ply --like early.vti --normalize count -o late.vti",
                "the grid of another volume, in samples per unit volume");
  table.example("zcat points.csv.gz | skde density - --picture look.png",
                "from a pipe, a picture alone");
  return table;
}

void check_outputs(const Settings& settings, const ParsedFlags& flags) {
  if (settings.output.empty() && settings.picture.empty())
    throw Error(ErrorKind::usage,
                "nothing to write: name a volume with -o FILE or a picture with --picture FILE.png "
                "('skde info' looks at a cloud alone)");
  if (settings.output.empty() && flags.has("format"))
    throw Error(ErrorKind::usage, "--format has no effect without -o FILE; drop it");
  std::vector<std::string> read = settings.inputs;
  if (!settings.density.like_file.empty()) read.push_back(settings.density.like_file);
  if (!settings.output.empty()) {
    const io::VolumeFormat& format = io::volume_format_for(settings.output, settings.format);
    if (!format.unavailable.empty())
      throw Error(ErrorKind::usage, fmt::format("{}: this build cannot write {}: {}",
                                                settings.output, format.name, format.unavailable));
    require_not_read(settings.output, "-o", read);
    require_writable(settings.output, "-o");
  }
  if (settings.picture.empty()) return;
  if (!settings.picture.ends_with(".png"))
    throw Error(ErrorKind::usage,
                fmt::format("--picture '{}' does not end in .png", settings.picture));
  if (!settings.output.empty()) read.push_back(settings.output);
  require_not_read(settings.picture, "--picture", read);
  require_writable(settings.picture, "--picture");
}

std::string covariance_name(const BandwidthSpec& spec) {
  if (spec.form == CovarianceForm::diag) return "diag";
  if (spec.form == CovarianceForm::iso) return "iso";
  return spec.covariance ? "file" : "data";
}

/// Writes the files that are wanted, each as a timed stage.
void write_results(DensityRun& run, const Settings& settings, const DensityMetadata& metadata,
                   TerminalProgress& progress) {
  const Volume& volume = run.estimate->volume;
  const auto write = [&](const char* stage, const char* what, const std::string& path,
                         const auto& work) {
    if (path.empty()) return;
    progress.throw_if_cancelled();
    const StopWatch watch;
    work(path);
    run.stages.push_back({stage, watch.seconds()});
    run.written.push_back(
        {what, path, static_cast<std::int64_t>(std::filesystem::file_size(path))});
  };
  write("writing", "volume", settings.output, [&](const std::string& path) {
    io::volume_format_for(path, settings.format).write(path, volume, metadata, progress);
    progress.clear();
  });
  write("picture", "picture", settings.picture,
        [&](const std::string& path) { write_projection_picture(path, volume, metadata); });
}

io::LoadedCloud load(const Settings& settings, TerminalProgress& progress) {
  const CancelAtOnce nothing_to_clean_up;
  const InputOptions& input = settings.density.input;
  io::LoadedCloud cloud =
      io::load_cloud(settings.inputs, input.columns, input.non_finite, progress);
  progress.clear();
  return cloud;
}

DensityRun describe_run(const Settings& settings, const io::CloudCounts& counts,
                        const DensityEstimate& estimate, double reading) {
  DensityRun run;
  run.inputs = settings.inputs;
  run.counts = counts;
  run.estimate = &estimate;
  run.covariance = covariance_name(settings.density.request.bandwidth);
  run.normalization = settings.density.request.normalization;
  run.units = settings.density.units;
  run.peak_density = estimate.volume.maximum();
  if (reading > 0) run.stages = {{"reading", reading}};
  run.stages.insert(run.stages.end(), estimate.stages.begin(), estimate.stages.end());
  return run;
}

/// A density and what was read for it.
struct Computed {
  DensityEstimate estimate;
  io::CloudCounts counts;
  double reading = 0;  ///< seconds before the estimate began
};

/// Nothing where the samples turn out to leave no room for the volume.
std::optional<Computed> compute_in_memory(const Settings& settings, TerminalProgress& progress) {
  const StopWatch watch;
  const io::LoadedCloud cloud = load(settings, progress);
  const double reading = watch.seconds();
  if (!grid_fits_beside(settings.density, cloud.points.view())) return std::nullopt;
  return Computed{estimate_density(cloud.points.view(), settings.density.request, progress),
                  cloud.counts, reading};
}

Computed compute_in_parts(const Settings& settings, TerminalProgress& progress) {
  const InputOptions& input = settings.density.input;
  Computed computed;
  computed.estimate =
      estimate_density({settings.inputs, input.columns, input.non_finite}, settings.density.request,
                       memory_limit(settings.density), computed.counts, progress);
  return computed;
}

/// The estimate, with the inputs named in errors that are about the cloud as a whole.
Computed compute(const Settings& settings, TerminalProgress& progress) {
  try {
    std::optional<Computed> computed;
    if (!must_stream(settings.density, settings.inputs))
      computed = compute_in_memory(settings, progress);
    if (!computed) computed = compute_in_parts(settings, progress);
    progress.clear();
    return std::move(*computed);
  } catch (const Error& error) {
    throw naming_inputs(error, settings.inputs);
  }
}

/// Tells how a run is cut where that is not the plain case; before it starts.
void show_plan(const MemoryPlan& plan, TerminalProgress& progress) {
  if (plan.part_samples == 0 && plan.slabs == 1) return;
  progress.clear();
  fmt::print(stderr, "skde: plan: {}\n", plan.describe());
}

void estimate_and_write(Settings& settings, const std::string& command_line) {
  const StopWatch watch;
  DensityRequest& request = settings.density.request;
  if (!settings.density.like_file.empty())
    request.like = io::read_volume(settings.density.like_file).volume.grid();
  check_known_grid(settings.density);

  TerminalProgress progress(!settings.quiet);
  if (!settings.quiet) request.on_plan = [&](const MemoryPlan& plan) { show_plan(plan, progress); };
  const Computed computed = compute(settings, progress);

  DensityMetadata metadata = describe(computed.estimate, request.normalization);
  metadata.units = settings.density.units;
  metadata.command_line = command_line;
  metadata.version = kVersion;
  DensityRun run = describe_run(settings, computed.counts, computed.estimate, computed.reading);
  write_results(run, settings, metadata, progress);
  run.seconds = watch.seconds();
  run.peak_memory = peak_memory();
  if (settings.json)
    print(density_json(run).dump(2) + "\n");
  else if (!settings.quiet)
    print(density_summary(run));
}

}  // namespace

void run_density(const Invocation& invocation) {
  Settings settings;
  const OptionTable table = make_table(settings);
  const ParsedFlags flags = table.parse(invocation.arguments);
  if (flags.help_wanted) return print(table.help());
  settings.inputs = flags.positionals;
  if (settings.inputs.empty())
    throw Error(ErrorKind::usage,
                "no input is named: give files of points, or - for standard input; see 'skde "
                "density --help'");
  check_density_options(flags, settings.density);
  check_outputs(settings, flags);
  if (flags.has("threads")) settings.density.request.device = Device::cpu;
  if (flags.has("device") || flags.has("device-memory"))
    settings.density.request.device = Device::cuda;
  estimate_and_write(settings, invocation.command_line);
}

}  // namespace skde::cli
