#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_commands.hpp"
#include "bench/fit/fit_case.hpp"
#include "bench/measure/recorder.hpp"
#include "bench/results/results.hpp"
#include "cli/options/density_options.hpp"
#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "engines/registry/mixture_engines.hpp"

namespace skde::bench {
namespace {

struct FitSettings {
  ResultOptions output{};
  std::vector<FitCloud> clouds{};
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
void fit(Result& row, const FitCase& of, std::uint64_t count, const FitSettings& settings,
         Progress& progress) {
  FitSpec spec;
  spec.members = count;
  spec.steps = settings.steps;
  spec.seed = settings.density.seed;
  spec.device = settings.on;
  spec.options = settings.density.options;
  const MixtureFit fit = fit_mixture(of.input(), spec, progress);
  row.seconds = {fit.facts.seconds};
  row.steps = static_cast<double>(fit.facts.steps);
  row.policy = fit.facts.engine;
  if (fit.facts.engine.ends_with("GPU")) row.device = "cuda";
  judge(row, of, fit.mixture, progress);
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
void measure(Recorder& recorder, FitCloud cloud, const FitSettings& settings) {
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

void add_flags(cli::OptionTable& table, FitSettings& s) {
  FitCaseSettings& density = s.density;
  table.group("Cases");
  table.value({"cloud", "NAME,...",
               "densities: five-gaussians, forest, quakes, filament, or noise (a volume)", "all"},
              s.clouds, list_of(OneOf<FitCloud>(kFitClouds)));
  table.value({"members", "K,...", "numbers of members", "64,256,1024,4096,16384,65536"}, s.members,
              list_of(WholeNumber(1, 1'000'000)));
  table.value({"samples", "N", "samples of a generated cloud", "1e5; forest 2e5"}, density.samples,
              WholeNumber(10, 100'000'000));
  table.value({"cells", "M", "cells along the longest side",
               "96; forest of 0.7 m, filament of 0.1, noise 64"},
              density.cells, WholeNumber<std::int64_t>(4, 1024));
  table.value({"quakes", "FILE", "the earthquakes", density.quakes}, density.quakes);
  table.value({"seed", "S", "seed of samples and fits", "1"}, density.seed, WholeNumber(0));
  table.group("Measurement");
  table.value({"steps", "N", "steps of a fit", "2000"}, s.steps, [](const std::string& given) {
    return std::optional(WholeNumber<std::int64_t>(1, 1'000'000)(given));
  });
  table.value(
      {"on", "cpu|cuda", "where fits run", "where they take less time"}, s.on,
      [](const std::string& given) {
        return std::optional(OneOf<Device>{{"cpu", Device::cpu}, {"cuda", Device::cuda}}(given));
      });
  table.value({"threads", "N", "CPU threads", "one per core"}, density.options.threads,
              WholeNumber<int>(1, 4096));
  cli::add_device_flag(table, density.options);
}

cli::OptionTable fit_table(FitSettings& settings) {
  for (const auto& [name, cloud] : kFitClouds) settings.clouds.push_back(cloud);
  cli::OptionTable table("skde-bench fit", "[FLAGS]",
                         "Measures how well K ellipsoids stand for a density. Errors are those of "
                         "all cells; 'report' plots them against K and bytes.");
  add_flags(table, settings);
  settings.output.add_flags(table);
  table.most_used({"cloud", "members", "on", "steps", "json", "output"});
  table.example("skde-bench fit --cloud forest --members 1024,4096 -o forest/", "one density");
  return table;
}

void run_fit(FitSettings& settings, const cli::ParsedFlags& flags,
             const cli::Invocation& invocation) {
  settings.output.require(flags);
  Recorder recorder(settings.output, invocation, settings.density.options.device, true);
  recorder.record([&] {
    for (const FitCloud cloud : settings.clouds) measure(recorder, cloud, settings);
  });
}

}  // namespace

const cli::Command kFitCommand =
    cli::command<fit_table, run_fit>("fit", "measures how well K ellipsoids stand for a density");

}  // namespace skde::bench
