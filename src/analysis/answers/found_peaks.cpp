#include "analysis/answers/found_peaks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "analysis/answers/exact_peaks.hpp"
#include "analysis/answers/level_regions.hpp"
#include "analysis/mass_levels.hpp"
#include "core/cloud/counter_random.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/session.hpp"

namespace skde {
namespace {

/// Returns which maxima are peaks, and says so.
KeepsPeak keeper_of(const PeakRule& rule, const AskedDensity& density, const DensityMass& mass,
                    std::string& said) {
  constexpr double kSome = 0.05;  // of the highest peak, where the samples are not known
  const DensityMetadata& known = density.metadata;
  const bool has_kernel = known.samples > 0 && is_positive_definite(known.H);
  if (rule.prominence || !has_kernel) {
    const double share = rule.prominence.value_or(kSome);
    said = fmt::format("of a prominence of {:.4g} % of the highest or more", 100 * share);
    return by_prominence(share, mass.peak);
  }
  said = fmt::format("by chance once in {:.3g} such densities", 1 / rule.significance);
  const Kernel kernel{known.kernel, known.H};
  double squared = kernel.function->roughness * kernel.amplitude() / kernel.function->constant;
  if (known.cells == CellValue::mean)  // at most that of a cell, as in a histogram
    squared = std::min(squared, 1 / density.volume.grid().cell_volume());
  return by_significance(rule.significance, mass.whole * squared, known.effective_samples);
}

void count_samples(const SamplesView& points, const Grid& grid, FoundPeaks& found) {
  for (FoundPeak& peak : found.peaks) peak.samples = 0;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (const std::int32_t basin = label_at(found.basins, grid, points.point(i)); basin >= 0)
      ++*found.peaks[static_cast<std::size_t>(basin)].samples;
}

void fill_exact(const AskedDensity& density, const std::vector<DensityPeak>& of_cells,
                std::vector<FoundPeak>& peaks, Progress& progress) {
  Session session;
  session.open(density.cloud);
  const std::vector<ExactPeak> exact = exact_peaks(session, *density.facts, of_cells, progress);
  for (std::size_t k = 0; k < peaks.size(); ++k) {
    peaks[k].place = exact[k].place;
    peaks[k].height = exact[k].height;
    peaks[k].height_error = exact[k].height_error;
    peaks[k].exact = exact[k].settled;
    if (const auto& covariance = peaks[k].covariance = exact[k].covariance)
      peaks[k].place_error =
          Vec3{std::sqrt(covariance->xx), std::sqrt(covariance->yy), std::sqrt(covariance->zz)};
  }
}

/// Puts the highest peak first, as exact heights are not in the order of those of cells.
void sort_by_height(FoundPeaks& found) {
  std::vector<std::size_t> order(found.peaks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](auto k) { return found.peaks[k].height; });
  std::vector<FoundPeak> sorted;
  std::vector<std::int32_t> numbers(order.size());
  for (const std::size_t k : order) {
    numbers[k] = static_cast<std::int32_t>(sorted.size());
    sorted.push_back(found.peaks[k]);
  }
  found.peaks = std::move(sorted);
  for (std::int32_t& basin : found.basins)
    if (basin >= 0) basin = numbers[static_cast<std::size_t>(basin)];
}

constexpr std::uint64_t kPeakResamples = 202;  // number of the stream: never reuse it

/// Places and heights of a peak, relative to where it is.
struct Scatter {
  double count = 0;
  std::array<double, 4> sums{}, squares{};

  void add(const std::pair<Vec3, double>& one) {
    const std::array values{one.first.x, one.first.y, one.first.z, one.second};
    ++count;
    for (std::size_t k = 0; k < values.size(); ++k) {
      sums[k] += values[k];
      squares[k] += values[k] * values[k];
    }
  }
  double deviation(std::size_t k) const {
    return std::sqrt(std::max(squares[k] - sums[k] * sums[k] / count, 0.0) / (count - 1));
  }
};

}  // namespace

FoundPeaks find_peaks(const AskedDensity& density, const PeakRule& rule, Progress& progress) {
  FoundPeaks found;
  const DensityMass mass = density_mass(density.volume, density.metadata);
  DensityPeaks of_cells =
      density_peaks(density.volume, keeper_of(rule, density, mass, found.rule), progress);
  found.left_out = of_cells.left_out;
  found.basins = std::move(of_cells.basins);
  for (const DensityPeak& peak : of_cells.peaks)
    found.peaks.push_back({.place = peak.place,
                           .height = peak.height,
                           .prominence = peak.prominence(),
                           .mass = peak.mass / mass.whole_of_cells()});
  if (!density.cloud) return found;
  count_samples(density.cloud->points, density.volume.grid(), found);
  if (density.facts->request.is_histogram()) return found;
  fill_exact(density, of_cells.peaks, found.peaks, progress);
  sort_by_height(found);
  return found;
}

void bootstrap_peaks(const AskedDensity& density, std::uint64_t resamples, std::uint64_t seed,
                     FoundPeaks& found, Progress& progress) {
  if (density.facts->request.is_histogram())
    throw Error(ErrorKind::usage, "the peaks of a histogram do not move",
                {"bootstrap", "leave out `bootstrap`, or give a `bandwidth` above 0"});
  const SamplesView& points = density.cloud->points;
  const CounterRandom random(seed, kPeakResamples);
  std::vector<DensityPeak> starts;
  for (const FoundPeak& peak : found.peaks)
    starts.push_back({.place = peak.place, .height = peak.height});
  std::vector<Scatter> scatters(starts.size());
  SilentProgress silent(progress);
  progress.begin("bootstrap", resamples, "resamples");
  for (std::uint64_t b = 0; b < resamples; ++b) {
    progress.throw_if_cancelled();
    progress.update(b);
    std::vector<double> weights(points.size());
    Draws draws = random.at(b);
    for (std::size_t i = 0; i < points.size(); ++i) {
      const auto drawn =
          static_cast<std::size_t>(draws.uniform() * static_cast<double>(points.size()));
      weights[drawn] += points.weight(drawn);
    }
    SamplesView resample = points;
    resample.weights = weights;
    Session session;
    session.open(resample);
    const std::vector<ExactPeak> exact = exact_peaks(session, *density.facts, starts, silent);
    for (std::size_t k = 0; k < exact.size(); ++k)
      if (exact[k].settled)
        scatters[k].add({exact[k].place - starts[k].place, exact[k].height - starts[k].height});
  }
  for (std::size_t k = 0; k < scatters.size(); ++k) {
    if (scatters[k].count < 2) continue;
    found.peaks[k].bootstrap_place_error = {scatters[k].deviation(0), scatters[k].deviation(1),
                                            scatters[k].deviation(2)};
    found.peaks[k].bootstrap_height_error = scatters[k].deviation(3);
  }
}

}  // namespace skde
