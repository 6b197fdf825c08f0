#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "bench/bench_commands.hpp"
#include "bench/measure/benchmark_case.hpp"
#include "bench/measure/engine_measurement.hpp"
#include "bench/measure/recorder.hpp"
#include "bench/measure/reference_cells.hpp"
#include "cli/options/density_options.hpp"
#include "core/report/error.hpp"
#include "engines/registry/registry.hpp"
#include "system/stop_watch.hpp"

namespace skde::bench {
namespace {

constexpr std::uint64_t kPointSeed = 1000;  // added to the seed of the samples
constexpr std::size_t kChecked = 500;

struct PointsSettings {
  ResultOptions output{};
  std::vector<std::uint64_t> samples{1000000};
  std::vector<double> bandwidths{0};  ///< h; 0: Silverman's rule
  std::uint64_t points = 0;           ///< 0: as many as samples
  std::vector<std::string> engines;
  KernelFunction kernel = KernelFunction::epanechnikov;
  Precision precision = Precision::f32;
  EngineOptions options;
  std::uint64_t seed = 1;
  int repetitions = 3;
  double max_seconds = 60;
};

std::vector<std::string> engines_of_points() {
  std::vector<std::string> names;
  for (const EngineEntry& entry : engine_table())
    if (!entry.traits.serves_grids) names.emplace_back(entry.traits.name);
  return names;
}

/// A case: samples, points and a kernel.
struct PointsCase {
  BenchmarkInput input;
  Problem problem;
};

PointsCase make_case(const PointsSettings& settings, std::uint64_t samples, double h) {
  BenchmarkCase wanted;
  wanted.samples = samples;
  wanted.h = h;
  wanted.kernel = settings.kernel;
  wanted.seed = settings.seed;
  wanted.inputs = 1;
  wanted.cells = 1;  // no grid
  PointsCase made{make_input(wanted), {}};
  made.problem = made.input.problem(settings.precision);
  if (!settings.kernel->is_bounded()) made.problem.kernel.tolerance = kDefaultTolerance;
  const std::uint64_t points = settings.points > 0 ? settings.points : samples;
  made.problem.target = TargetPoints(
      make_benchmark_cloud(wanted.shape, settings.seed + kPointSeed, 0, points, false).xyz);
  return made;
}

/// Returns the largest difference to direct sums, as a share of the peak.
double error_of(const std::vector<double>& values, const PointsCase& of, const Progress& progress) {
  const std::size_t count = std::min(kChecked, values.size());
  std::vector<std::int64_t> checked;
  for (std::size_t k = 0; k < count; ++k)
    checked.push_back(static_cast<std::int64_t>(k * values.size() / count));
  const ReferenceCells reference =
      make_reference_cells(of.input.clouds.front().view(), of.problem, checked, progress);
  double largest = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const double value = values[static_cast<std::size_t>(checked[k])];
    largest = std::max(largest, std::abs(value - reference.density[k]));
  }
  return largest / reference.peak;
}

/// One run on loaded samples: its stages, values and seconds, including set-up and transfer of the
/// points.
struct PointsRun {
  StageTimes stages;
  std::unique_ptr<ValueBuffer> values;
  double seconds = 0;
  std::string policy;
};

PointsRun run_once(Engine& engine, const PointsCase& of, const LoadedSamples& samples,
                   std::unique_ptr<ValueBuffer> reuse, Progress& progress) {
  PointsRun result;
  const StopWatch watch;
  const std::unique_ptr<Run> run = engine.begin(of.problem, {std::move(reuse)});
  result.stages = run->add(samples, progress);
  add_stages(result.stages, run->finish(progress));
  result.values = run->take_values();
  result.seconds = watch.seconds();
  result.policy = run->launch_policy();
  return result;
}

/// Warms up, checks and measures.
void fill_times(Result& result, Engine& engine, const PointsCase& of,
                const PointsSettings& settings, Progress& progress) {
  const SamplesView points = of.input.clouds.front().view();
  const auto samples = engine.load(points);
  PointsRun run = run_once(engine, of, *samples, {}, progress);
  result.error = error_of(run.values->take_point_values(), of, progress);
  run.values.reset();
  result.warmups = 1;
  for (int k = 0; k < settings.repetitions; ++k) {
    run = run_once(engine, of, *samples, std::move(run.values), progress);
    result.seconds.push_back(run.seconds);
    if (*std::ranges::min_element(result.seconds) < run.seconds) continue;
    result.stages = stage_records(run.seconds, run.stages, engine, of.input, settings.precision);
    result.policy = run.policy;
  }
}

Result measure(const std::string& name, const PointsCase& of, const PointsSettings& settings,
               Progress& progress) {
  Result result = blank_result(of.input.wanted, "points", name, settings.precision);
  const auto points = static_cast<double>(target_size(of.problem.target));
  result.cells = 0;
  result.updates = points * static_cast<double>(of.input.wanted.samples);
  const SamplesView samples = of.input.clouds.front().view();
  try {
    const std::string why = engine_entry(name).unavailable();
    const auto engine = make_engine(name, settings.options);
    const CloudFacts facts{static_cast<std::int64_t>(samples.size()), false, false};
    const Offer offer = why.empty() ? engine->offer(of.problem, facts) : Offer::refused(why);
    if (!offer.serves()) {
      refuse(result, {Status::skipped, offer.refusal});
    } else if (offer.seconds.run > settings.max_seconds) {
      refuse(result, too_long(offer.seconds.run, settings.max_seconds));
    } else {
      fill_times(result, *engine, of, settings, progress);
      result.policy = fmt::format("{:g} points; {}", points, result.policy);
    }
  } catch (const Error& error) {
    progress.throw_if_cancelled();
    refuse(result, {Status::failed, error.what()});
  }
  return result;
}

void add_flags(cli::OptionTable& table, PointsSettings& s) {
  table.group("Cases");
  table.value({"samples", "N,...", "numbers of samples, such as 1e6", "1e6"}, s.samples,
              list_of(WholeNumber(10, 4'000'000'000)));
  table.value({"points", "P", "numbers of points, drawn like the samples", "as many as samples"},
              s.points, WholeNumber(1, 4'000'000'000));
  table.value({"bandwidth", "H,...", "h in H = h^2 S; 0: silverman", "0"}, s.bandwidths,
              list_of(RealNumber(0)));
  table.value({"kernel", "NAME", kernel_names(), "epanechnikov"}, s.kernel, KernelFunction::named);
  table.value({"seed", "S", "seed of the samples", "1"}, s.seed, WholeNumber(0));
  table.group("Measurement");
  table.value({"engines", "NAME,...", "engines to measure", "all that compute points"}, s.engines,
              list_of(NameAmong(engines_of_points(), "engine")));
  table.value({"precision", "f32|f64", "type of the sums and of the values", "f32"}, s.precision,
              OneOf<Precision>{{"f32", Precision::f32}, {"f64", Precision::f64}});
  table.value({"repetitions", "R", "number of measured runs, after one warm-up run", "3"},
              s.repetitions, WholeNumber<int>(1, 1000));
  table.value(
      {"max-seconds", "S",
       "time limit of a run; a run predicted to take longer is skipped, with that reason", "60"},
      s.max_seconds, RealNumber(0));
  table.value({"threads", "N", "CPU threads of a CPU engine", "one per core"}, s.options.threads,
              WholeNumber<int>(1, 4096));
  cli::add_device_flag(table, s.options);
}

cli::OptionTable points_table(PointsSettings& settings) {
  settings.engines = engines_of_points();
  cli::OptionTable table("skde-bench points", "[FLAGS]",
                         "Measures densities at points on loaded samples, including the copies of "
                         "the points and values. The rate counts every pair of a point and a "
                         "sample; the error is measured at 500 of the points.");
  add_flags(table, settings);
  settings.output.add_flags(table);
  table.most_used({"samples", "points", "bandwidth", "kernel", "engines", "precision",
                   "repetitions", "threads", "json", "output"});
  table.example("skde-bench points --samples 1e5,1e6 --kernel gaussian", "two cases");
  return table;
}

void run_points(PointsSettings& settings, const cli::ParsedFlags& flags,
                const cli::Invocation& invocation) {
  settings.output.require(flags);
  Recorder recorder(settings.output, invocation, settings.options.device, true);
  recorder.record([&] {
    for (const double h : settings.bandwidths)
      for (const std::uint64_t samples : settings.samples) {
        recorder.announce(fmt::format("points: N = {:g}", static_cast<double>(samples)));
        const PointsCase made = make_case(settings, samples, h);
        for (const std::string& engine : settings.engines) {
          recorder.announce(fmt::format("points: {}", engine));
          recorder.add(measure(engine, made, settings, recorder.progress()));
        }
      }
  });
}

}  // namespace

const cli::Command kPointsCommand =
    cli::command<points_table, run_points>("points", "measures densities at points");

}  // namespace skde::bench
