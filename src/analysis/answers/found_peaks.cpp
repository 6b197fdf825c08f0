#include "analysis/answers/found_peaks.hpp"

#include <fmt/core.h>

#include <cmath>

#include "analysis/answers/exact_peaks.hpp"
#include "analysis/answers/level_regions.hpp"
#include "analysis/density_mass.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/session.hpp"

namespace skde {
namespace {

/// Returns which maxima are peaks, and says so.
KeepsPeak keeper_of(const PeakRule& rule, const DensityMetadata& known, const DensityMass& mass,
                    std::string& said) {
  constexpr double kSome = 0.05;  // of the highest peak, where the samples are not known
  const bool has_kernel = known.samples > 0 && is_positive_definite(known.H);
  if (rule.prominence || !has_kernel) {
    const double share = rule.prominence.value_or(kSome);
    said = fmt::format("of a prominence of {:.4g} % of the highest or more", 100 * share);
    return by_prominence(share, mass.peak);
  }
  said = fmt::format("by chance once in {:.3g} such densities", 1 / rule.significance);
  const Kernel kernel{known.kernel, known.H};
  const double squared =
      kernel.function->roughness * kernel.amplitude() / kernel.function->constant;
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

}  // namespace

FoundPeaks find_peaks(const AskedDensity& density, const PeakRule& rule, Progress& progress) {
  FoundPeaks found;
  const DensityMass mass = density_mass(density.volume, density.metadata);
  DensityPeaks of_cells =
      density_peaks(density.volume, keeper_of(rule, density.metadata, mass, found.rule), progress);
  found.left_out = of_cells.left_out;
  found.basins = std::move(of_cells.basins);
  for (const DensityPeak& peak : of_cells.peaks)
    found.peaks.push_back({.place = peak.place,
                           .height = peak.height,
                           .prominence = peak.prominence(),
                           .mass = peak.mass / mass.whole_of_cells()});
  if (!density.cloud) return found;
  count_samples(density.cloud->points, density.volume.grid(), found);
  fill_exact(density, of_cells.peaks, found.peaks, progress);
  return found;
}

}  // namespace skde
