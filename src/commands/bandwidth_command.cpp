#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <future>
#include <optional>

#include "analysis/bootstrap_bandwidth.hpp"
#include "bandwidth/data_driven_bandwidth.hpp"
#include "bandwidth/mixture_bandwidth.hpp"
#include "bandwidth/sample_choice.hpp"
#include "cli/command_session.hpp"
#include "cli/exit_code.hpp"
#include "cli/options/density_options.hpp"
#include "cli/outputs.hpp"
#include "cli/report_parts.hpp"
#include "cli/results/result_table.hpp"
#include "cli/terminal_progress.hpp"
#include "commands/commands.hpp"
#include "commands/output/bandwidth_report.hpp"
#include "core/report/value_parsers.hpp"
#include "core/report/words.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/read/input_error.hpp"
#include "estimate/values/density_setup.hpp"
#include "io/bytes/input_stamps.hpp"
#include "io/bytes/output_file.hpp"
#include "io/points/columns/width_columns.hpp"
#include "io/points/formats/open_points.hpp"
#include "system/host_memory.hpp"
#include "system/stop_watch.hpp"

namespace skde::cli {
namespace {

const std::string kBootstrap = "bootstrap";

struct Range {
  double lower = 0, upper = 0;
};

struct BandwidthSettings {
  DensityOptions density;
  std::string method{word_of(kBandwidthRules, BandwidthRule::automatic)};
  std::string curve;
  std::vector<std::string> pictures;
  std::optional<Range> range;
  int steps = 16;
  std::uint64_t subsample = 0, seed = 1, realizations = 100;
  std::optional<KnownMixture> mixture{};  ///< the input, if it is one
  bool json = false, quiet = false;

  bool is_bootstrap() const { return method == kBootstrap; }
  BandwidthRule rule() const {
    for (const auto& [word, rule] : kBandwidthRules)
      if (word == method) return rule;
    return BandwidthRule::silverman;
  }
  bool is_scored() const { return rule() == BandwidthRule::automatic || is_data_driven(rule()); }
};

std::vector<std::string> method_words() {
  std::vector<std::string> words;
  for (const auto& [word, rule] : kBandwidthRules) words.emplace_back(word);
  words.push_back(kBootstrap);
  return words;
}

Range parse_range(const std::string& given) {
  const std::vector<double> ends = parse_number_list<double>(given);
  if (ends.size() != 2 || !(ends[0] > 0) || !(ends[1] > ends[0]) || !std::isfinite(ends[1]))
    throw Error(
        ErrorKind::usage,
        fmt::format("must be two numbers LEAST,MOST above 0 in ascending order; got '{}'", given),
        {"range", "give two values of h, such as `range=0.1,0.5`"});
  return {ends[0], ends[1]};
}

void add_judging_flags(OptionTable& table, BandwidthSettings& settings) {
  table.group("Judging");
  table.value({.name = "range",
               .value = "LEAST,MOST",
               .help = "range of h to score; for lcv and lscv it must contain the minimum",
               .by_default = "around Silverman's h, extended until the minimum is passed"},
              settings.range, parse_range);
  table.value({.name = "steps",
               .value = "N",
               .help = "number of bandwidths on the curve, at equal ratios",
               .by_default = "16, and 11 for bootstrap"},
              settings.steps, WholeNumber<int>(3, 10000));
  table.value({.name = "subsample",
               .value = "N",
               .help = "number of samples, drawn at random, that score the bandwidths; h is then "
                       "scaled to all samples",
               .by_default = "all samples"},
              settings.subsample, WholeNumber(2));
  table.value({.name = "seed", .value = "S", .help = "seed of the random draws", .by_default = "1"},
              settings.seed, WholeNumber(0));
  table.value({.name = "threads",
               .value = "N",
               .help = "CPU threads",
               .by_default = "OMP_NUM_THREADS, or else one per core"},
              settings.density.request.options.threads, WholeNumber<int>(1, 4096));
  table.value({.name = "memory-limit",
               .value = "BYTES",
               .help = "limit on host memory, such as 2G",
               .by_default = "available memory"},
              settings.density.memory_limit, parse_bytes);
  table.group("Bootstrap");
  table.value({.name = "reference",
               .value = "RULE|H",
               .help = "bandwidth to draw the clouds from and to compare others with",
               .by_default = "silverman"},
              settings.density.request.bandwidth.bandwidth,
              [](const std::string& given) { return parse_bandwidth(given); });
  table.value({.name = "realizations",
               .value = "N",
               .help = "number of clouds to draw",
               .by_default = "100"},
              settings.realizations, WholeNumber(1, 1000000));
  table.value({.name = "dims",
               .value = "N|NX,NY,NZ",
               .help = "number of cells at which densities are compared",
               .by_default = "64"},
              settings.density.request.grid.dims,
              [](const std::string& given) { return parse_dims(given); });
}

OptionTable bandwidth_table(BandwidthSettings& settings) {
  settings.density.request.bandwidth.bandwidth = BandwidthRule::silverman;  // of --reference
  OptionTable table("skde bandwidth", "IN... [FLAGS]",
                    "Chooses a bandwidth h for H = h^2 S, by a rule, by the one that suits the "
                    "samples (auto), by leave-one-out likelihood "
                    "(lcv) or squared error (lscv), by an estimate of the density's curvature "
                    "(plug-in), or by clouds drawn from the density (bootstrap), and reports the "
                    "scores. 'skde density' makes the same choice as auto.");
  table.group("Output");
  table.value({.name = "method",
               .value = "NAME",
               .help = "auto, silverman, scott, normal-scale, normal-scott, lcv, lscv, plug-in or "
                       "bootstrap",
               .by_default = "auto",
               .words = method_words()},
              settings.method, NameAmong(method_words(), "method"));
  table.value({.name = "curve",
               .value = "FILE.csv",
               .help = "the scores by h, as a table",
               .names_file = true},
              settings.curve);
  table.value({.name = "picture",
               .value = "FILE,...",
               .help = "the scores as .svg or .png pictures that mark the chosen h",
               .names_file = true},
              settings.pictures, list_of([](const std::string& name) { return name; }));
  table.flag({.name = "json", .help = "prints one JSON object instead", .local = true},
             settings.json);
  table.flag({.name = "quiet", .help = "no progress bar", .local = true}, settings.quiet);
  add_strict_flag(table);
  add_density_fields(table, settings.density, target::kSearch);
  add_judging_flags(table, settings);
  table.most_used({"method", "curve", "picture", "json", "columns", "weights", "kernel",
                   "covariance", "range", "subsample"});
  table.example("skde bandwidth points.ply --method lscv --picture curve.svg",
                "least-squares cross-validation, and its curve");
  table.example("skde bandwidth points.csv --method lcv --subsample 1e5 --json",
                "likelihood of a subsample, for a program");
  table.example("skde bandwidth points.npy --method bootstrap --realizations 200",
                "differences of densities of drawn clouds from this one, at eleven h");
  return table;
}

void check_flags(const BandwidthSettings& settings, const ParsedFlags& flags) {
  const auto refuse = [&](std::string_view name) {
    if (flags.has(name))
      throw Error(ErrorKind::usage, fmt::format("--{} has no effect with --method {}; drop it",
                                                name, settings.method));
  };
  if (!settings.is_bootstrap() && !settings.is_scored())
    for (const std::string_view name :
         {"curve", "picture", "range", "steps", "subsample", "seed", "threads", "memory-limit"})
      refuse(name);
  if (settings.rule() == BandwidthRule::automatic)
    for (const std::string_view name : {"subsample", "seed"}) refuse(name);
  if (!settings.is_bootstrap())
    for (const std::string_view name : {"reference", "realizations", "dims"}) refuse(name);
  if (settings.is_bootstrap()) refuse("sharpen");
  if (flags.has("seed") && !settings.is_bootstrap() && !flags.has("subsample"))
    throw Error(ErrorKind::usage, "--seed has no effect without --subsample; drop it");
  std::vector<std::string> read = settings.density.files.paths, written;
  if (!settings.density.covariance_file.empty()) read.push_back(settings.density.covariance_file);
  const auto check = [&](const auto& path, auto flag) {
    require_not_read(path, flag, read);
    require_writable(path, flag);
    require_other_file(path, flag, written);
    written.push_back(path);
  };
  if (!settings.curve.empty()) check(settings.curve, "--curve");
  for (const std::string& picture : settings.pictures) {
    if (!picture.ends_with(".svg") && !picture.ends_with(".png"))
      throw Error(ErrorKind::usage, "--picture must end in .svg or .png; got '" + picture + "'");
    if (!SKDE_HAS_PICTURES)
      throw Error(ErrorKind::unsupported, picture + ": this build cannot write pictures",
                  {"picture", "configure it with SKDE_WITH_PICTURES=ON and cairo"});
    check(picture, "--picture");
  }
}

std::shared_ptr<const SampleCloud> read_samples(const BandwidthSettings& settings,
                                                SessionKeeper* sessions, Progress& progress) {
  SessionOptions options;
  options.memory_limit = settings.density.memory_limit;
  CommandSession session(sessions, settings.density.files, std::move(options), true, progress);
  if (!session->cloud())
    throw Error(ErrorKind::usage,
                fmt::format("{}: is a volume, not samples; name the points that it was made of",
                            settings.density.files.paths.front()));
  return session->cloud();
}

ChosenSamples chosen_of(const BandwidthSettings& settings, const SampleCloud& cloud) {
  return choose_some(cloud.points, cloud.moments, settings.density.request.bandwidth,
                     settings.subsample, settings.seed);
}

/// Returns the bandwidth of all samples for this h.
Bandwidth for_all(const BandwidthSettings& settings, const SampleCloud& cloud, double h) {
  BandwidthSpec spec = settings.density.request.bandwidth;
  spec.bandwidth = h;
  return select_bandwidth(cloud.moments, spec, settings.density.request.kernel);
}

void judge(const BandwidthSettings& settings, const SampleCloud& cloud, double room,
           bool gpu_starts, BandwidthRun& run, const Invocation& invocation, Progress& progress) {
  ChosenSamples chosen = chosen_of(settings, cloud);
  chosen.bandwidth.bandwidth = settings.rule();
  DataDrivenEffort effort;
  effort.threads = settings.density.request.options.threads;
  effort.most_bytes = room;
  effort.gpu = settings.density.request.options.device;
  effort.gpu_starts = gpu_starts;
  effort.factor = chosen.factor;
  double span = 1.3 * 3;  // of the default initial range of the curve
  if (const auto& range = settings.range) {
    effort.lower = range->lower;
    effort.upper = range->upper;
    span = range->upper / range->lower;
  }
  effort.ratio = std::pow(span, 1.0 / (settings.steps - 1));
  const DataDrivenSpec spec{chosen.bandwidth, settings.density.request.kernel,
                            settings.density.request.sharpen};
  if (invocation.foretells(
          [&] { return data_driven_forecast(chosen.samples, chosen.moments, spec, effort); }))
    return;
  DataDrivenBandwidth found =
      data_driven_bandwidth(chosen.samples, chosen.moments, spec, effort, progress);
  run.best = found.best;
  run.curve = std::move(found.curve);
  run.warnings = std::move(found.warnings);
  run.bandwidth = found.bandwidth;
  if (!is_automatic(chosen.bandwidth)) run.bandwidth.H = for_all(settings, cloud, found.best.h).H;
  if (chosen.samples.size() < cloud.points.size()) run.subsample = chosen.samples.size();
}

void bootstrap(const BandwidthSettings& settings, const ParsedFlags& flags,
               const SampleCloud& cloud, BandwidthRun& run, const Invocation& invocation,
               Progress& progress) {
  const ChosenSamples chosen = chosen_of(settings, cloud);
  BootstrapSpec spec;
  spec.request = settings.density.request;
  spec.request.bandwidth = chosen.bandwidth;
  if (const auto* const h = std::get_if<double>(&chosen.bandwidth.bandwidth))
    spec.request.bandwidth.bandwidth = *h / chosen.factor;
  spec.request.precision = Precision::f64;
  if (!spec.request.grid.dims) spec.request.grid.dims = {64, 0, 0};
  if (flags.has("threads")) spec.request.device = Device::cpu;
  spec.realizations = settings.realizations;
  spec.factor = chosen.factor;
  spec.seed = settings.seed;
  const int steps = flags.has("steps") ? settings.steps : 11;
  if (settings.range || flags.has("steps")) {
    const double reference =
        chosen.factor *
        select_bandwidth(chosen.moments, spec.request.bandwidth, spec.request.kernel).h;
    const Range range = settings.range.value_or(Range{0.8 * reference, 1.2 * reference});
    for (int i = 0; i < steps; ++i)
      spec.widths.push_back(
          range.lower * std::pow(range.upper / range.lower, static_cast<double>(i) / (steps - 1)));
  }
  if (invocation.foretells([&] { return bootstrap_forecast(chosen.samples, spec, progress); }))
    return;
  BootstrapResult result = bootstrap_bandwidth(chosen.samples, spec, progress);
  for (const BootstrapRow& row : result.rows) run.curve.push_back({row.h, row.squared.mean});
  const auto best = std::ranges::min_element(run.curve, {}, &ScoredBandwidth::score);
  run.best = *best;
  run.bandwidth = for_all(settings, cloud, best->h);
  run.warnings = result.warnings;
  run.bootstrap = std::move(result);
  if (chosen.samples.size() < cloud.points.size()) run.subsample = chosen.samples.size();
}

/// Takes the input if it is a mixture: its ellipsoids are not the samples that rules are for.
void take_mixture(const ParsedFlags& flags, BandwidthSettings& settings) {
  CloudFiles& files = settings.density.files;
  if (flags.has("widths") || !io::are_mixtures(files.paths, files.columns, files.open)) return;
  if (!flags.has("method")) settings.method = word_of(kBandwidthRules, BandwidthRule::silverman);
  if (files.paths.size() > 1 || settings.is_bootstrap() || settings.is_scored())
    throw Error(ErrorKind::usage,
                fmt::format("{}: is a mixture; {} needs the samples that it stands for, and rules "
                            "take one such file",
                            files.paths.front(), settings.method),
                {"method", "use `method=silverman`"});
  files.columns.widths = {std::string(io::kMixture)};
  if (!flags.has("kernel")) settings.density.request.kernel = KernelFunction::gaussian;
  settings.mixture = read_known_mixture(files.paths.front(), files.open);
}

BandwidthRun choose(const BandwidthSettings& settings, const ParsedFlags& flags,
                    const Invocation& invocation, Progress& progress) {
  const DensityRequest& request = settings.density.request;
  BandwidthSpec spec = request.bandwidth;
  spec.bandwidth = settings.rule();
  const bool few = invocation.forecast || settings.subsample > 0;
  const std::uint64_t bytes = few ? 0 : io::file_bytes(settings.density.files.paths);
  const std::future<void> starting =
      start_for_pairs({spec, request.kernel, request.sharpen}, bytes, request.options.device);
  const auto cloud = read_samples(settings, invocation.sessions, progress);
  std::int64_t limit = settings.density.memory_limit;
  if (limit == 0) limit = invocation.memory_limit;
  const auto room = static_cast<double>(memory_within(limit));
  BandwidthRun run;
  run.inputs = settings.density.files.paths;
  run.counts = cloud->counts;
  run.columns = cloud->columns;
  run.effective_samples = cloud->moments.effective_samples();
  run.method = settings.method;
  run.kernel = request.kernel->name;
  run.silverman =
      suggest_bandwidths(cloud->moments, request.bandwidth, request.kernel).silverman.value_or(0);
  if (const auto& known = settings.mixture) {
    const auto by = [&](BandwidthRule rule) {
      spec.bandwidth = rule;
      return mixture_bandwidth(known->mixture, known->effective_samples, spec, request.kernel);
    };
    run.bandwidth = by(settings.rule());
    run.silverman = by(BandwidthRule::silverman).h;
    run.effective_samples = known->effective_samples.value_or(0);
  } else if (settings.is_bootstrap()) {
    bootstrap(settings, flags, *cloud, run, invocation, progress);
  } else if (settings.is_scored()) {
    judge(settings, *cloud, room, starting.valid(), run, invocation, progress);
  } else {
    run.bandwidth = select_bandwidth(cloud->moments, spec, request.kernel);
  }
  if (!settings.is_scored()) run.bandwidth.source = settings.method;
  run.covariance = covariance_word(request.bandwidth, run.bandwidth);
  return run;
}

CommandResult run_bandwidth(BandwidthSettings& settings, const ParsedFlags& flags,
                            const Invocation& invocation) {
  if (flags.positionals.empty())
    throw Error(ErrorKind::usage,
                "no input is given: name files of points, or - for standard input; see 'skde "
                "bandwidth --help'");
  settings.density.files.paths = flags.positionals;
  require_inputs(flags.positionals);
  check_width_options(flags, settings.density.files.columns);
  check_flags(settings, flags);
  take_mixture(flags, settings);
  const StopWatch watch;
  TerminalProgress progress(!settings.quiet);
  BandwidthRun run;
  try {
    run = choose(settings, flags, invocation, progress);
  } catch (const Error& error) {
    throw naming_inputs(error, settings.density.files.paths);
  }
  if (invocation.forecast) return {};
  progress.clear();
  run.seconds = watch.seconds();
  if (!settings.curve.empty()) {
    io::OutputFile file(settings.curve);
    file.write(bandwidth_csv(run));
    file.commit();
    run.written.push_back(written_file("curve", settings.curve));
  }
  for (const std::string& picture : settings.pictures) {
    write_score_picture(picture, bandwidth_chart(run));
    run.written.push_back(written_file("picture", picture));
  }
  for (const Warning& warning : run.warnings) print_warning("skde", warning);
  return show_result({settings.json}, run);
}

}  // namespace

const Command kBandwidth = command<bandwidth_table, run_bandwidth>(
    "bandwidth", "chooses a bandwidth by a rule or from the samples, and shows the scores");

}  // namespace skde::cli
