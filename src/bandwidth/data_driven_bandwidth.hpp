#pragma once

#include <optional>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "bandwidth/bandwidth_search.hpp"
#include "bandwidth/cross_validation.hpp"
#include "core/cloud/moments.hpp"
#include "core/report/warning.hpp"
#include "core/report/work_forecast.hpp"

namespace skde {

/// A data-driven bandwidth and the scores behind it.
struct DataDrivenBandwidth {
  Bandwidth bandwidth;
  ScoredBandwidth best;
  std::vector<ScoredBandwidth> curve;  ///< by h
  double reference = 0;                ///< h by Silverman's rule
  LonelySamples lonely;                ///< samples that may decide the likelihood
  std::vector<Warning> warnings;
};

/// Prepares the samples for a score: S, an initial h, and the kernel that judges. Throws
/// Error(usage) if samples have bandwidth factors or shapes of their own, Error(resources) if the
/// search does not fit into memory, and what select_bandwidth throws.
ScoredSamples scored_samples(const SamplesView& samples, const Moments& moments,
                             const DataDrivenSpec& spec, const DataDrivenEffort& effort);

/// Predicts time and memory of data_driven_bandwidth(). Throws what scored_samples throws.
WorkForecast data_driven_forecast(const SamplesView& samples, const Moments& moments,
                                  const DataDrivenSpec& spec, const DataDrivenEffort& effort);

/// Searches for the data-driven bandwidth. lcv always uses the score of the Gaussian; lscv uses
/// Epanechnikov's for the uniform kernel. In these cases h is scaled canonically
/// (`bandwidth.judge`). For a sharpened density, lscv takes sharpened_score() of at most
/// kSharpenedJudges samples, drawn at random, by the Gaussian; other rules throw Error(usage).
/// `auto` takes the samples that the moments keep (automatic_bandwidth).
/// Throws what scored_samples throws, Error(input) if the score has no minimum
/// (it names the samples that lie at one place), and Error(cancelled).
DataDrivenBandwidth data_driven_bandwidth(const SamplesView& samples, const Moments& moments,
                                          const DataDrivenSpec& spec,
                                          const DataDrivenEffort& effort, Progress& progress);

/// Returns data_driven_bandwidth() if the spec names a data-driven rule or `auto`. Returns nothing
/// for other rules, and for samples with bandwidth factors or shapes of their own.
std::optional<Bandwidth> data_driven_where_asked(const SamplesView& samples, const Moments& moments,
                                                 const DataDrivenSpec& spec,
                                                 const DataDrivenEffort& effort,
                                                 Progress& progress);

}  // namespace skde
