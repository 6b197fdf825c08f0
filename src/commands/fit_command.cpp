#include <fmt/core.h>

#include <array>
#include <filesystem>
#include <utility>

#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/outputs.hpp"
#include "cli/results/result_table.hpp"
#include "cli/terminal_progress.hpp"
#include "cli/text/terminal_text.hpp"
#include "commands/commands.hpp"
#include "commands/fit_files.hpp"
#include "commands/fit_input.hpp"
#include "commands/output/fit_report.hpp"
#include "commands/output/picture_flags.hpp"
#include "commands/output/volume_input.hpp"
#include "core/report/stage_times.hpp"
#include "engines/registry/registry.hpp"
#include "estimate/plan/density_warnings.hpp"
#include "estimate/read/input_error.hpp"
#include "io/points/mixture_file.hpp"
#include "io/points/splats/splat_formats.hpp"
#include "io/volumes/volume_formats.hpp"
#include "system/stop_watch.hpp"

namespace skde::cli {
namespace {

struct FitSettings {
  DensityOptions density;
  FitSpec spec;
  std::string output, picture;
  std::vector<std::string> flipped{};  ///< flipped axes of the picture
  double held_out_share = 0;
  bool resume = false, save_on_cancel = false, json = false, quiet = false;
  std::string volume, field;  ///< the input, if it is one, and its name in the file
};

/// Parses a number above 0 and below 1.
double parse_share(const std::string& given) {
  const double share = RealNumber(0, 1)(given);
  if (share > 0 && share < 1) return share;
  throw Error(ErrorKind::usage, fmt::format("must be above 0 and below 1; got '{}'", given));
}

void add_fit_flags(OptionTable& table, FitSettings& settings) {
  FitSpec& spec = settings.spec;
  table.group("Fit");
  table.value({.name = "members",
               .value = "K",
               .help = "number of ellipsoids; either this or --error is needed",
               .letter = 'k'},
              spec.members, WholeNumber<std::size_t>(1, std::uint64_t{1} << 32));
  table.value({.name = "error",
               .value = "E",
               .help = "relative L2 error to reach, such as 0.02, with the smallest power of two "
                       "of ellipsoids that does"},
              spec.error, parse_share);
  table.value({.name = "loss",
               .value = "l2|likelihood",
               .help = "what to minimise: the squared error over the cells, by gradients; or the "
                       "cross-entropy of the samples, by expectation-maximisation",
               .by_default = "l2"},
              spec.loss, OneOf<FitLoss>(kFitLosses));
  table.value({.name = "steps",
               .value = "N",
               .help = "steps of the fit",
               .by_default = fmt::format("{} for l2, {} for likelihood", kDefaultGradientSteps,
                                         kDefaultMaximisingSteps)},
              spec.steps, WholeNumber<std::int64_t>(1));
  table.value({.name = "seed",
               .value = "S",
               .help = "seed of what --hold-out draws, and of the start: 1 divides the samples at "
                       "means, and each other seed is another start; the same one gives the same "
                       "bits on the same machine",
               .by_default = "1"},
              spec.seed, WholeNumber(0));
  table.value({.name = "hold-out",
               .value = "SHARE",
               .help = "share of the samples, drawn by the seed, that neither the density nor the "
                       "fit uses; the summary has the Kullback-Leibler divergence on them",
               .by_default = "none"},
              settings.held_out_share, parse_share);
  add_field_flag(table, settings.field);
}

void add_fit_outputs(OptionTable& table, FitSettings& settings) {
  table.group("Output");
  table.value({.name = "output",
               .value = "FILE",
               .help = "mixture to write: .ply for viewers of Gaussian splats; .npy or .csv with "
                       "mass, mean and covariance; or splats alone, rounded, in which masses "
                       "become opacities: .sog, .spz, .splat, .compressed.ply",
               .letter = 'o',
               .names_file = true},
              settings.output);
  table.flag({.name = "resume",
              .help = "begins with the ellipsoids in the output file, and keeps their number",
              .local = true},
             settings.resume);
  table.flag({.name = "save-on-cancel",
              .help = "Ctrl-C ends the fit and writes what it has; by default, it leaves nothing",
              .local = true},
             settings.save_on_cancel);
  table.value({.name = "picture",
               .value = "FILE.png",
               .help = "writes a picture of the given density, the fitted one and their "
                       "difference, by one scale: three maximum projections of each",
               .names_file = true},
              settings.picture);
  add_flip_flag(table, settings.flipped);
  add_summary_flags(table, settings.json, settings.quiet);
}

OptionTable fit_table(FitSettings& settings) {
  settings.density.request.kernel = KernelFunction::gaussian;
  OptionTable table("skde fit", "IN... -k K -o OUT [FLAGS]",
                    "Fits a mixture of ellipsoids (Gaussians) to the density of one or more point "
                    "clouds, or to a volume. Flags of skde density set the density of a cloud, "
                    "whose kernel is the Gaussian by default.");
  add_fit_flags(table, settings);
  add_fit_outputs(table, settings);
  add_density_fields(table, settings.density, target::kGrid);
  table.most_used({"members", "error", "loss", "steps", "seed", "output", "picture", "resume",
                   "columns", "bandwidth", "dims", "engine"});
  table.example("skde fit points.ply -k 1024 -o mixture.ply",
                "1,024 ellipsoids, which viewers of Gaussian splats open");
  table.example("skde fit density.vti --error 0.02 -o mixture.npy --picture error.png",
                "as few as reach an error of 2 %, from a volume");
  table.example("skde fit points.ply -k 256 --loss likelihood --hold-out 0.1 -o mixture.csv",
                "by expectation-maximisation, judged on a tenth of the samples");
  return table;
}

[[noreturn]] void refuse(const std::string& problem, const char* parameter,
                         std::string suggestion = {}) {
  throw Error(ErrorKind::usage, problem, {parameter, std::move(suggestion)});
}

void check_volume_flags(const FitSettings& settings) {
  if (!settings.density.request.is_automatic())
    refuse("names an engine for the density of a cloud, but the input is a volume", "engine",
           "use `engine=cpu` or `engine=gpu`");
  if (settings.spec.loss == FitLoss::likelihood)
    refuse("the likelihood is that of samples, and the input is a volume", "loss",
           "use `loss=l2`, or name the points that the volume was made of");
  if (settings.held_out_share > 0)
    refuse("a volume has no samples to hold out", "hold_out",
           "name the points that the volume was made of");
}

void check_members(const FitSettings& settings, const ParsedFlags& flags) {
  const bool members = flags.has("members"), error = flags.has("error");
  if (members && error)
    refuse("an error to reach is also given, and finds K itself", "members",
           "drop it, or drop `error`");
  if (settings.save_on_cancel && error)
    refuse("the search for K has no result before it ends", "save_on_cancel",
           "drop it, or give `members` instead of `error`");
  for (const char* const name : {"members", "error"})
    if (settings.resume && flags.has(name))
      refuse("a fit that is resumed keeps its number of ellipsoids", name,
             "drop it, or drop `resume`");
  if (!settings.resume && !members && !error)
    refuse("no number of ellipsoids is given", "members",
           "name one with `members`, or an error to reach with `error`");
  if (settings.spec.loss == FitLoss::likelihood && flags.has("boundary"))
    refuse("expectation-maximisation knows no boundaries", "boundary", "drop it, or use `loss=l2`");
}

void check_outputs(const FitSettings& settings, const ParsedFlags& flags) {
  if (settings.output.empty())
    throw Error(ErrorKind::usage, "no output is given; name a file with -o FILE");
  io::require_mixture_extension(settings.output);
  std::vector<std::string> read = flags.positionals;
  for (const std::string& other : {settings.density.like_file, settings.density.covariance_file})
    if (!other.empty()) read.push_back(io::volume_path(other).file);
  const std::vector<std::string> files = mixture_files(settings.output);
  for (const std::string& file : files) {
    require_not_read(file, "-o", read);
    require_writable(file, "-o");
  }
  if (settings.resume && io::loses_masses(settings.output))
    refuse(fmt::format("{}: has no masses to go on with", settings.output), "resume",
           "drop `resume`, or write .ply, .npy or .csv");
  if (settings.resume && !std::filesystem::exists(settings.output))
    throw Error(ErrorKind::input,
                fmt::format("{}: does not exist, so there is nothing to resume", settings.output),
                {"resume", "drop `resume`"});
  if (settings.picture.empty() && flags.has("flip"))
    refuse("has no effect without a picture", "flip", "drop it");
  if (settings.picture.empty()) return;
  require_picture(settings.picture);
  require_not_read(settings.picture, "--picture", read);
  require_other_file(settings.picture, "--picture", files);
  require_writable(settings.picture, "--picture");
}

/// Shows the progress of a fit. If `holds`, a request to cancel does not end the work at hand: the
/// fit asks whether one is pending.
class FitProgress final : public Progress {
 public:
  FitProgress(TerminalProgress& shown, bool holds) : shown_(shown), holds_(holds) {}
  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override {
    shown_.begin(stage, total, unit);
  }
  void update(std::uint64_t done) override { shown_.update(done); }
  bool cancelled() const override { return !holds_ && shown_.cancelled(); }

  /// Shows the error so far, and returns whether the fit should end.
  bool watch(double relative_error) {
    shown_.note(fmt::format(", error {}", format_share(relative_error)));
    return holds_ && shown_.cancelled();
  }

 private:
  TerminalProgress& shown_;
  bool holds_;
};

/// The bytes of files; none if one of them is not a file.
std::optional<std::int64_t> bytes_of(const std::vector<std::string>& paths) {
  std::int64_t bytes = 0;
  for (const std::string& path : paths) {
    std::error_code failed;
    if (!std::filesystem::is_regular_file(path, failed)) return std::nullopt;
    bytes += static_cast<std::int64_t>(std::filesystem::file_size(path, failed));
  }
  return bytes;
}

FitRun describe_run(const FitSettings& settings, const GivenDensity& given) {
  FitRun run;
  run.inputs = given.path.empty() ? settings.density.files.paths : std::vector{given.path};
  run.density = given.facts;
  run.metadata = given.metadata;
  run.grid = given.volume.grid();
  run.precision = given.volume.precision();
  run.spec = settings.spec;
  run.resumed = settings.resume;
  run.held_out_share = settings.held_out_share;
  if (settings.volume.empty()) run.cloud_bytes = bytes_of(run.inputs);
  run.warnings = given.facts ? given.facts->warnings : given.warnings;
  if (!given.facts && given.kernel)
    warn_of_narrow({KernelFunction::gaussian, *given.kernel}, run.grid, run.warnings);
  return run;
}

MixtureFit fit_given(const FitSettings& settings, const GivenDensity& given,
                     const std::optional<Mixture>& from, FitRun& run, FitProgress& progress) {
  const auto watch = [&](std::int64_t, double relative_error) {
    const bool ends = progress.watch(relative_error);
    run.cancelled = run.cancelled || ends;
    return ends;
  };
  try {
    return fit_mixture(given.input(), run.spec, progress, watch, from ? &*from : nullptr);
  } catch (const Error& error) {
    throw naming_inputs(error, settings.density.files.paths);
  }
}

FitSource source_of(const FitSettings& settings) {
  const bool by_samples = settings.spec.loss == FitLoss::likelihood;
  return {.density = &settings.density,
          .volume = settings.volume,
          .is_fitted = true,
          .needs_samples = by_samples || settings.held_out_share > 0,
          .needs_kernels = by_samples,
          .held_out_share = settings.held_out_share,
          .seed = settings.spec.seed};
}

CommandResult fit_and_write(const FitSettings& settings, const Invocation& invocation) {
  const StopWatch watch;
  TerminalProgress shown(!settings.quiet);
  std::optional<Mixture> from;
  if (settings.resume) from = io::read_mixture(settings.output, shown).mixture;
  const GivenDensity given = given_density(source_of(settings), invocation.sessions, shown);
  FitRun run = describe_run(settings, given);
  if (from) run.spec.members = from->size();
  FitProgress progress(shown, settings.save_on_cancel);
  const MixtureFit fit = fit_given(settings, given, from, run, progress);
  run.found = fit.facts;
  if (fit.mixture.H != Symmetric3{}) run.kernel_covariance = fit.mixture.H;
  run.held_out = held_out_divergence(given, fit.mixture, run.spec.options, progress);
  run.written = write_fitted(settings.output, fit.mixture, fit_facts(run, invocation.command_line),
                             run.spec.options, progress);
  if (!settings.picture.empty())
    run.written.push_back(
        write_fit_picture(settings.picture, given, run, fit.mixture, settings.flipped, progress));
  if (io::loses_masses(settings.output))
    run.warnings.push_back(
        {"lossy",
         fmt::format("{}: holds no masses, which are opacities alone: {}", settings.output,
                     io::splat_format_of(settings.output)->quantisation),
         {"output", "write .ply, .npy or .csv to keep the mixture"}});
  if (run.cancelled)
    run.warnings.push_back(
        {"cancelled",
         fmt::format("the fit was cancelled after {} steps; the file holds what it had",
                     run.found.steps),
         {"resume", io::loses_masses(settings.output)
                        ? "write .ply, .npy or .csv, from which `resume` goes on"
                        : "use `resume` to go on"}});
  shown.clear();
  for (const Warning& warning : run.warnings) print_warning("skde", warning);
  run.seconds = watch.seconds();
  return show_result({settings.json, settings.quiet}, run);
}

/// Checks what depends on the names of files, then fits.
CommandResult fit_input(FitSettings settings, const ParsedFlags& flags,
                        const Invocation& invocation) {
  DensityOptions& density = settings.density;
  check_outputs(settings, flags);
  complete_density_options(flags, density);
  if (density.memory_limit == 0) density.memory_limit = invocation.memory_limit;
  const DensityRequest& request = density.request;
  settings.spec.device =
      request.is_automatic() ? request.device : engine_entry(request.engine).traits.device;
  settings.spec.options = request.options;
  if (invocation.foretells([&] {
        TerminalProgress progress(!settings.quiet);
        return fit_forecast(source_of(settings), settings.spec, invocation.sessions, progress);
      }))
    return {};
  return fit_and_write(settings, invocation);
}

CommandResult run_fit(FitSettings& settings, const ParsedFlags& flags,
                      const Invocation& invocation) {
  settings.volume = take_density_input(flags, settings.density);
  if (!settings.volume.empty()) check_volume_flags(settings);
  check_members(settings, flags);
  if (settings.volume.empty()) return fit_input(settings, flags, invocation);
  return for_each_volume(settings.volume, settings.field, {settings.output, settings.picture},
                         [&](const std::string& field, const std::vector<std::string>& outputs) {
                           FitSettings own = settings;
                           own.volume = volume_named(settings.volume, field);
                           own.density.files.paths = {own.volume};
                           own.output = outputs[0];
                           own.picture = outputs[1];
                           return fit_input(std::move(own), flags, invocation);
                         });
}

}  // namespace

const Command kFit = command<fit_table, run_fit>(
    "fit", "fits a mixture of ellipsoids to the density of a cloud, or to a volume");

}  // namespace skde::cli
