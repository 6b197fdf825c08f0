#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/answers/density_peaks.hpp"
#include "core/density_metadata.hpp"

namespace skde {

struct DensityFacts;  // estimate/values/density_facts.hpp
struct SampleCloud;   // estimate/read/cloud.hpp

/// Which maxima are peaks.
struct PeakRule {
  std::optional<double> prominence{};  ///< as a share of the highest, in place of the significance
  double significance = 0.05;
};

/// A peak, and what is known of it.
struct FoundPeak {
  Vec3 place;
  double height = 0;
  std::optional<Vec3> place_error{};
  std::optional<Symmetric3> covariance{};
  std::optional<double> height_error{};
  double prominence = 0, mass = 0;  ///< mass as a share of the total
  std::optional<std::uint64_t> samples{};
  bool exact = false;
  std::optional<Vec3> bootstrap_place_error{};
  std::optional<double> bootstrap_height_error{};
};

struct FoundPeaks {
  std::string rule{};  ///< which maxima are peaks, for people
  std::vector<FoundPeak> peaks{};
  std::vector<std::int32_t> basins{};  ///< as of DensityPeaks
  std::int64_t left_out = 0;
};

/// A density, not owned, and the samples that it was made of; null for a volume alone.
struct AskedDensity {
  const Volume& volume;
  const DensityMetadata& metadata;
  const DensityFacts* facts = nullptr;
  std::shared_ptr<const SampleCloud> cloud{};
};

/// Finds the peaks of a density: of its cells, and with samples those of the exact density. A
/// volume that does not tell its kernel has peaks by a prominence of 5 %. Throws what
/// density_mass(), density_peaks() and exact_peaks() throw.
FoundPeaks find_peaks(const AskedDensity& density, const PeakRule& rule, Progress& progress);

/// Adds the deviations of place and height over resamples, each of as many samples drawn with
/// replacement: the ascent from the peak on the density of a resample with the same bandwidth.
/// Peaks whose ascents do not settle have none. The density must have a cloud. Throws what
/// exact_peaks() throws.
void bootstrap_peaks(const AskedDensity& density, std::uint64_t resamples, std::uint64_t seed,
                     FoundPeaks& found, Progress& progress);

}  // namespace skde
