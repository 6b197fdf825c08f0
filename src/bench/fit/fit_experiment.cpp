#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_commands.hpp"
#include "bench/fit/fit_case.hpp"
#include "bench/measure/recorder.hpp"
#include "bench/results/results.hpp"
#include "cli/options/density_options.hpp"
#include "core/problem.hpp"
#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "engines/engine_options.hpp"
#include "engines/registry/mixture_engines.hpp"
#include "mixture/member_control.hpp"
#include "system/stop_watch.hpp"

namespace skde::bench {
namespace {

/// Settings of the quality runs, the same for every density.
struct FitQualitySettings {
  std::vector<std::uint64_t> members{64, 256, 1024, 4096, 16384, 65536};
  std::optional<std::int64_t> steps{};
  std::optional<Device> on{};  ///< where fits run; none: where they take less time
  FitCaseSettings density{};
};

constexpr double kMemberBytes = sizeof(float) * kMemberParameters;

/// Masses are scaled to the mass of the density in its box, as those of a fit are.
void judge(Result& row, const FitCase& of, const Mixture& mixture, Progress& progress) {
  SilentProgress silent(progress);
  const Volume values = mixture_on(mixture, of.volume.grid(), Precision::f32, {}, silent);
  const FitScore score = score_of(of.volume, values, of.volume.sum() / values.sum());
  row.relative_error = score.relative_error;
  row.psnr = score.psnr;
  row.error = score.largest_error;
  row.bytes = kMemberBytes * static_cast<double>(mixture.size());
}

std::string too_many(const FitCase& of, std::uint64_t count) {
  const auto cells = static_cast<std::uint64_t>(of.volume.grid().cells());
  if (of.samples.size() > 0 && count > of.samples.size())
    return fmt::format("more members than the {} samples", of.samples.size());
  return count > cells ? fmt::format("more members than the {} cells", cells) : "";
}

/// Fits, and fills in the row.
void measure_fit(Result& row, const FitCase& of, const FitSpec& spec, Progress& progress) {
  const MixtureFit fit = fit_mixture(of.input(), spec, progress);
  row.seconds = {fit.facts.seconds};
  row.steps = static_cast<double>(fit.facts.steps);
  row.policy = fit.facts.engine;
  if (fit.facts.engine.ends_with("GPU")) row.device = "cuda";
  judge(row, of, fit.mixture, progress);
}

void fit(Result& row, const FitCase& of, std::uint64_t count, const FitQualitySettings& settings,
         Progress& progress) {
  FitSpec spec;
  spec.members = count;
  spec.steps = settings.steps;
  spec.seed = settings.density.seed;
  spec.device = settings.on;
  spec.options = settings.density.options;
  measure_fit(row, of, spec, progress);
}

/// Returns a row of a fit, without times.
Result blank_fit_row(const FitCase& of, std::uint64_t members) {
  Result row;
  row.experiment = "fit";
  row.method = "fit";
  row.device = "cpu";
  row.cloud = of.cloud;
  row.samples = of.samples.size();
  row.cells = of.longest_side();
  row.precision = "f32";
  row.members = static_cast<double>(members);
  return row;
}

/// Records a row for each number of members: errors, bytes, seconds. What cannot be measured is a
/// row with the reason. Throws Error(cancelled).
void measure_quality(Recorder& recorder, FitCloud cloud, const FitQualitySettings& settings) {
  recorder.announce(fmt::format("fit: {}", word_of(kFitClouds, cloud)));
  Progress& progress = recorder.progress();
  FitCase of{std::string(word_of(kFitClouds, cloud))};
  std::string why;
  try {
    of = make_fit_case(cloud, settings.density, progress);
  } catch (const Error& error) {
    progress.throw_if_cancelled();
    why = error.what();
  }
  for (const std::uint64_t count : settings.members) {
    recorder.announce(fmt::format("fit: {}, K = {}", of.cloud, count));
    Result row = blank_fit_row(of, count);
    try {
      if (const std::string reason = why.empty() ? too_many(of, count) : why; !reason.empty())
        refuse(row, {Status::skipped, reason});
      else
        fit(row, of, count, settings, progress);
    } catch (const Error& error) {
      progress.throw_if_cancelled();
      refuse(row, {error.kind() == ErrorKind::unsupported ? Status::skipped : Status::failed,
                   error.what()});
    }
    recorder.add(std::move(row));
  }
}

/// Steps of members with the same deviation, at random places of a cube of cells.
struct StepCase {
  std::size_t members = 40960;
  std::int64_t cells = 256;  ///< along each side
  double deviation = 4;      ///< of a member, in cells
  double tolerance = 3e-2;   ///< of the cut of Gaussians: that of a fit
  int repetitions = 10;      ///< of the whole step, and as many of its stages
  std::uint64_t seed = 1;
};

MixtureProblem problem_of(const StepCase& wanted) {
  const std::int64_t n = wanted.cells;
  MixtureProblem problem;
  problem.frame = Grid{{0, 0, 0}, {1, 1, 1}, {n, n, n}};
  problem.target = problem.frame;
  problem.kernel = Symmetric3::diagonal(1, 1, 1);
  problem.tolerance = wanted.tolerance;
  return problem;
}

std::vector<Member> members_of(const StepCase& wanted) {
  std::mt19937_64 random(wanted.seed);
  const auto side = static_cast<double>(wanted.cells);
  const double own = std::sqrt(wanted.deviation * wanted.deviation - 1);  // besides the kernel's
  std::vector<Member> members(wanted.members);
  for (Member& member : members) {
    member.log_mass = -std::log(static_cast<double>(wanted.members));
    for (double& at : member.mean) at = side * (static_cast<double>(random() >> 11) * 0x1p-53);
    member.factor[0] = member.factor[2] = member.factor[5] = own;
  }
  sort_members(members);
  return members;
}

/// Takes turns: a whole step, and a step whose stages are timed one by one. loss() waits for the
/// device.
void fill_times(Result& result, MixtureEngine& engine, const StepCase& wanted, Progress& progress) {
  constexpr double kStill = 1e-12;  // so that the members stay where they are
  MixtureUpdate update;
  update.adam = {kStill, kStill, kStill};
  constexpr std::array kStages{"sum", "derive", "gather", "update"};
  std::array<StageRecord, kStages.size()> stages;
  for (std::size_t k = 0; k < kStages.size(); ++k) {
    stages[k].stage = kStages[k];
    stages[k].seconds = std::numeric_limits<double>::infinity();
  }
  for (int k = -1; k < wanted.repetitions; ++k)
    for (const bool staged : {false, true}) {
      progress.throw_if_cancelled();
      std::size_t stage = 0;
      const StopWatch whole;
      const auto timed = [&](const auto& work) {
        const StopWatch one;
        work();
        if (staged) (void)engine.loss();
        if (staged) stages[stage].seconds = std::min(stages[stage].seconds, one.seconds());
        ++stage;
      };
      timed([&] { engine.sum(progress); });
      timed([&] { engine.derive(CotangentRule::difference); });
      timed([&] { engine.gather(progress); });
      timed([&] { engine.update(update); });
      (void)engine.loss();
      if (!staged && k >= 0) result.seconds.push_back(whole.seconds());
    }
  result.stages.assign(stages.begin(), stages.end());
}

/// Measures a step of a fit on a device: sum, derive, gather and update, with the whole step and
/// each stage on its own. The stages have the least seconds of their repetitions. A device that is
/// not there, and too large a case, give a row with the reason.
Result measure_step(const StepCase& wanted, Device device, const EngineOptions& options,
                    Progress& progress) {
  Result result;
  result.experiment = "fit-speed";
  result.method = "step";
  result.device = device == Device::cuda ? "cuda" : "cpu";
  result.cloud = "members";
  result.cells = wanted.cells;
  result.members = static_cast<double>(wanted.members);
  result.precision = "f32";
  result.policy = fmt::format("deviation {:g} cells, cut at {:g} of the peak", wanted.deviation,
                              wanted.tolerance);
  result.warmups = 1;
  const MixtureProblem problem = problem_of(wanted);
  const double variance = wanted.deviation * wanted.deviation;
  const Offer offer = mixture_offer(problem, wanted.members,
                                    Symmetric3::diagonal(variance, variance, variance), device);
  if (!offer.serves()) {
    refuse(result, {Status::skipped, offer.refusal});
    return result;
  }
  try {
    const auto engine = make_mixture_engine(problem, device, options);
    engine->set_members(members_of(wanted));
    const std::vector<double> given(static_cast<std::size_t>(problem.frame.cells()),
                                    1 / static_cast<double>(problem.frame.cells()));
    engine->set_given(given);
    fill_times(result, *engine, wanted, progress);
  } catch (const Error& error) {
    progress.throw_if_cancelled();
    refuse(result, {Status::failed, error.what()});
  }
  return result;
}

struct FitSettings {
  ResultOptions output{};
  FitQualitySettings quality{};
  StepCase step{};
  std::vector<FitCloud> clouds{};
  std::vector<std::string> parts{"quality", "speed"};
  std::int64_t steps = 0;  ///< 0: as many as a fit takes

  bool measures(std::string_view part) const { return std::ranges::count(parts, part) > 0; }
};

void add_case_flags(cli::OptionTable& table, FitSettings& s) {
  FitCaseSettings& density = s.quality.density;
  table.group("Cases");
  table.value({"measure", "PART,...", "quality: errors of fits; speed: times of steps", "all"},
              s.parts, list_of(NameAmong({"quality", "speed"}, "part")));
  table.value({"cloud", "NAME,...",
               "densities: five-gaussians, forest, quakes, filament, or noise (a volume)", "all"},
              s.clouds, list_of(OneOf<FitCloud>(kFitClouds)));
  table.value({"members", "K,...", "numbers of members", "64,256,1024,4096,16384,65536"},
              s.quality.members, list_of(WholeNumber(1, 1'000'000)));
  table.value({"samples", "N", "samples of a generated cloud", "1e5; forest 2e5"}, density.samples,
              WholeNumber(10, 100'000'000));
  table.value({"cells", "M", "cells along the longest side",
               "96; forest of 0.7 m, filament of 0.1, noise 64"},
              density.cells, WholeNumber<std::int64_t>(4, 1024));
  table.value({"quakes", "FILE", "the earthquakes", density.quakes}, density.quakes);
  table.value({"seed", "S", "seed of samples and fits", "1"}, density.seed, WholeNumber(0));
  table.value({"step-members", "K", "members of a step whose time is measured", "40960"},
              s.step.members, WholeNumber<std::size_t>(1, 10'000'000));
  table.value({"step-cells", "M", "cells along each side of such a step", "256"}, s.step.cells,
              WholeNumber<std::int64_t>(8, 1024));
}

void add_measurement_flags(cli::OptionTable& table, FitSettings& s) {
  FitQualitySettings& quality = s.quality;
  table.group("Measurement");
  table.value({"steps", "N", "steps of a fit", "2000; 500 for speed"}, s.steps,
              WholeNumber<std::int64_t>(1, 1'000'000));
  table.value(
      {"on", "cpu|cuda", "where fits and steps run",
       "fits where they take less time, steps on both"},
      quality.on, [](const std::string& given) {
        return std::optional(OneOf<Device>{{"cpu", Device::cpu}, {"cuda", Device::cuda}}(given));
      });
  table.value({"repetitions", "R", "measured steps, after one that is discarded", "10"},
              s.step.repetitions, WholeNumber<int>(1, 1000));
  table.value({"threads", "N", "CPU threads", "one per core"}, quality.density.options.threads,
              WholeNumber<int>(1, 4096));
  cli::add_device_flag(table, quality.density.options);
}

/// Steps by device, and 500 steps of 512 members on 64^3 cells on the CPU.
void measure_speed(Recorder& recorder, const FitSettings& s) {
  const FitQualitySettings& quality = s.quality;
  for (const Device device : {Device::cpu, Device::cuda}) {
    if (quality.on && *quality.on != device) continue;
    recorder.announce(fmt::format("fit: steps of {} members", s.step.members));
    recorder.add(measure_step(s.step, device, quality.density.options, recorder.progress()));
  }
  if (quality.on == Device::cuda) return;
  constexpr std::size_t kMembers = 512;
  constexpr std::int64_t kCells = 64, kSteps = 500;
  FitCaseSettings density = quality.density;
  density.cells = kCells;
  recorder.announce("fit: steps on the CPU");
  const FitCase of = make_fit_case(FitCloud::five_gaussians, density, recorder.progress());
  Result row = blank_fit_row(of, kMembers);
  row.experiment = "fit-speed";
  FitSpec spec;
  spec.members = kMembers;
  spec.steps = quality.steps.value_or(kSteps);
  spec.device = Device::cpu;
  spec.options = density.options;
  measure_fit(row, of, spec, recorder.progress());
  recorder.add(std::move(row));
}

void measure(Recorder& recorder, const FitSettings& s) {
  if (s.measures("quality"))
    for (const FitCloud cloud : s.clouds) measure_quality(recorder, cloud, s.quality);
  if (s.measures("speed")) measure_speed(recorder, s);
}

cli::OptionTable fit_table(FitSettings& settings) {
  for (const auto& [name, cloud] : kFitClouds) settings.clouds.push_back(cloud);
  cli::OptionTable table(
      "skde-bench fit", "[FLAGS]",
      "Measures how well K ellipsoids stand for a density, and how long steps of "
      "a fit take. Errors are those of all cells; 'report' plots them against K "
      "and bytes.");
  add_case_flags(table, settings);
  add_measurement_flags(table, settings);
  settings.output.add_flags(table);
  table.most_used({"measure", "cloud", "members", "on", "steps", "json", "output"});
  table.example("skde-bench fit --cloud forest --members 1024,4096 -o forest/", "one density");
  table.example("skde-bench fit --measure speed --on cuda", "a step of 40,960 members on a GPU");
  return table;
}

void run_fit(FitSettings& settings, const cli::ParsedFlags& flags,
             const cli::Invocation& invocation) {
  settings.output.require(flags);
  if (settings.steps > 0) settings.quality.steps = settings.steps;
  settings.step.seed = settings.quality.density.seed;
  Recorder recorder(settings.output, invocation, settings.quality.density.options.device, true);
  recorder.record([&] { measure(recorder, settings); });
}

}  // namespace

const cli::Command kFit = cli::command<fit_table, run_fit>(
    "fit", "measures how well K ellipsoids stand for a density, and how fast they are fitted");

}  // namespace skde::bench
