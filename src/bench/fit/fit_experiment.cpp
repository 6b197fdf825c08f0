#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_commands.hpp"
#include "bench/measure/recorder.hpp"
#include "bench/results/results.hpp"
#include "cli/options/density_options.hpp"
#include "core/cloud/synthetic_cloud.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/report/error.hpp"
#include "core/report/progress.hpp"
#include "core/report/words.hpp"
#include "core/space/volume.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/session.hpp"
#include "mixture/mixture_fit.hpp"

namespace skde::bench {
namespace {

/// The densities that fits are measured on.
enum class FitCloud {
  five_gaussians,  ///< 1e5 samples, Silverman's Gaussian bandwidth, 96 cells along the longest side
  forest,          ///< 2e5 samples, a deviation of 0.75 m, cells of 0.7 m
  quakes,          ///< the 1000 earthquakes of data/quakes.csv, else as five_gaussians
  filament,        ///< 1e5 samples along a winding curve, a deviation of 0.15, cells of 0.1
  noise,           ///< a volume of 64^3 uniform values, each the mean of 27 neighbours
};
constexpr Words<FitCloud, 5> kFitClouds{{{"five-gaussians", FitCloud::five_gaussians},
                                         {"forest", FitCloud::forest},
                                         {"quakes", FitCloud::quakes},
                                         {"filament", FitCloud::filament},
                                         {"noise", FitCloud::noise}}};

/// Sizes of the densities; small ones are measured sooner.
struct FitCaseSettings {
  std::uint64_t samples = 0;  ///< 0: as stated at FitCloud
  std::int64_t cells = 0;     ///< along the longest side; 0: as stated at FitCloud
  std::uint64_t seed = 1;
  std::string quakes = "data/quakes.csv";
  EngineOptions options{};
};

/// A density to be fitted.
struct FitCase {
  std::string cloud;
  Samples samples{};  ///< none: only the volume is known
  Volume volume{};
  Symmetric3 H{};  ///< of the density; 0 without samples

  std::int64_t longest_side() const;  ///< in cells
  FitInput input() const { return {&volume, samples.view(), H}; }
};

/// How near values are to those of a density.
struct FitScore {
  double relative_error = 0;  ///< sqrt(sum (m - f)^2 / sum f^2)
  double psnr = 0;            ///< in decibels, not below 0
  double largest_error = 0;   ///< of a cell, as a share of the peak of f
};

constexpr std::int64_t kUsualCells = 96;
constexpr double kForestDeviation = 0.75, kForestCell = 0.7;
constexpr double kFilamentDeviation = 0.15, kFilamentCell = 0.1;

/// Uniform values in [0, 1), the same on every machine.
Volume noise(std::int64_t side, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const auto n = static_cast<std::size_t>(side);
  std::vector<double> raw(n * n * n);
  for (double& value : raw) value = static_cast<double>(random() >> 11) * 0x1p-53;
  const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    const auto wrapped = [side](std::int64_t i) {
      return static_cast<std::size_t>((i + side) % side);
    };
    return raw[(wrapped(z) * n + wrapped(y)) * n + wrapped(x)];
  };
  std::vector<float> smooth;
  smooth.reserve(raw.size());
  for (std::int64_t z = 0; z < side; ++z)
    for (std::int64_t y = 0; y < side; ++y)
      for (std::int64_t x = 0; x < side; ++x) {
        double sum = 0;
        for (std::int64_t k = 0; k < 27; ++k)
          sum += at(x + k % 3 - 1, y + k / 3 % 3 - 1, z + k / 9 - 1);
        smooth.push_back(static_cast<float>(sum / 27));
      }
  return {Grid{{0, 0, 0}, {1, 1, 1}, {side, side, side}}, std::move(smooth)};
}

Samples samples_of(FitCloud cloud, const FitCaseSettings& settings) {
  const auto count = [&](std::uint64_t usual) {
    return settings.samples > 0 ? settings.samples : usual;
  };
  if (cloud == FitCloud::forest) return make_forest(settings.seed, 0, count(200000));
  if (cloud == FitCloud::filament) return make_filament(settings.seed, 0, count(100000));
  return make_five_gaussians(settings.seed, 0, count(100000));
}

DensityRequest request_of(FitCloud cloud, const FitCaseSettings& settings) {
  DensityRequest request;
  request.kernel = KernelFunction::gaussian;
  request.bandwidth.bandwidth = BandwidthRule::silverman;
  request.options = settings.options;
  request.grid.dims =
      std::array<std::int64_t, 3>{settings.cells > 0 ? settings.cells : kUsualCells, 0, 0};
  const auto fixed = [&](double deviation, double cell) {
    const double variance = deviation * deviation;
    request.bandwidth.bandwidth = Symmetric3::diagonal(variance, variance, variance);
    if (settings.cells > 0) return;
    request.grid.dims.reset();
    request.grid.spacing = Vec3{cell, cell, cell};
  };
  if (cloud == FitCloud::forest) fixed(kForestDeviation, kForestCell);
  if (cloud == FitCloud::filament) fixed(kFilamentDeviation, kFilamentCell);
  return request;
}

std::vector<double> values_of(const Volume& volume) {
  return std::visit(
      [](const auto& values) { return std::vector<double>(values.begin(), values.end()); },
      volume.value_span());
}

std::int64_t FitCase::longest_side() const { return std::ranges::max(volume.grid().dims); }

/// Makes the density. Throws Error(input) if the file of earthquakes cannot be read,
/// Error(resources) and Error(cancelled).
FitCase make_fit_case(FitCloud cloud, const FitCaseSettings& settings, Progress& progress) {
  constexpr std::int64_t kNoiseCells = 64;
  FitCase made{std::string(word_of(kFitClouds, cloud))};
  if (cloud == FitCloud::noise) {
    made.volume = noise(settings.cells > 0 ? settings.cells : kNoiseCells, settings.seed);
    return made;
  }
  Session session;
  if (cloud == FitCloud::quakes) {
    CloudFiles files;
    files.paths = {settings.quakes};
    session.open(files, progress);
  } else {
    session.open(samples_of(cloud, settings));
  }
  Density density = session.compute(request_of(cloud, settings), progress);
  made.H = density.kernel().H;
  made.volume = density.take_volume();
  append_samples(made.samples, session.cloud()->points);
  return made;
}

/// Compares values, times a factor, with a density on the same cells.
FitScore score_of(const Volume& density, const Volume& values, double factor) {
  const std::vector<double> given = values_of(density), found = values_of(values);
  double squares = 0, differences = 0, peak = 0, largest = 0;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const double difference = factor * found[i] - given[i];
    squares += given[i] * given[i];
    differences += difference * difference;
    largest = std::max(largest, std::abs(difference));
    peak = std::max(peak, given[i]);
  }
  const double typical = std::sqrt(differences / static_cast<double>(given.size()));
  constexpr double kMostDecibels = 300;  // where nothing differs
  const double psnr = typical > 0 ? 20 * std::log10(peak / typical) : kMostDecibels;
  return {std::sqrt(differences / squares), std::clamp(psnr, 0.0, kMostDecibels), largest / peak};
}

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
