#include "bench/fit/fit_case.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "core/cloud/synthetic_cloud.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/session.hpp"

namespace skde::bench {
namespace {

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

}  // namespace

std::int64_t FitCase::longest_side() const { return std::ranges::max(volume.grid().dims); }

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

}  // namespace skde::bench
