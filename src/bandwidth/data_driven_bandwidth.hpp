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

/// A data-driven bandwidth and what speaks for it.
struct DataDrivenBandwidth {
  Bandwidth bandwidth;
  ScoredBandwidth best;
  std::vector<ScoredBandwidth> curve;  ///< by h
  double reference = 0;                ///< h of Silverman's rule
  LonelySamples lonely;                ///< in the likelihood
  std::vector<Warning> warnings;
};

/// The samples as a score wants them: S, an h to begin with, and the kernel that judges.
/// Error(usage) where samples have widths or shapes of their own; Error(resources) where what it
/// takes does not fit into memory; what select_bandwidth throws.
ScoredSamples scored_samples(const SamplesView& samples, const Moments& moments,
                             const DataDrivenSpec& spec, const DataDrivenEffort& effort);

/// Predicts time and memory of data_driven_bandwidth(). Throws what scored_samples throws.
WorkForecast data_driven_forecast(const SamplesView& samples, const Moments& moments,
                                  const DataDrivenSpec& spec, const DataDrivenEffort& effort);

/// Looks for it. The score of lcv is that of the Gaussian whatever the kernel, and of lscv and the
/// uniform kernel Epanechnikov's; h is then scaled canonically (`bandwidth.judge`). Throws what
/// scored_samples throws, Error(input) where the score has no least value (it names the samples
/// that lie at one place), Error(cancelled).
DataDrivenBandwidth data_driven_bandwidth(const SamplesView& samples, const Moments& moments,
                                          const DataDrivenSpec& spec,
                                          const DataDrivenEffort& effort, Progress& progress);

/// Returns data_driven_bandwidth() where the spec names a rule that judges by the samples. Returns
/// nothing for other rules, and where samples have shapes of their own.
std::optional<Bandwidth> data_driven_where_asked(const SamplesView& samples, const Moments& moments,
                                                 const DataDrivenSpec& spec,
                                                 const DataDrivenEffort& effort,
                                                 Progress& progress);

/// Returns h of the plug-in rule, whatever rule the spec names. Returns nothing where the rule
/// finds no h within so many seconds, or needs more than 0.2 GB of memory for each of them, and
/// where samples have shapes of their own. Throws Error(cancelled) where `shown` is cancelled.
std::optional<double> plug_in_within(double seconds, const SamplesView& samples,
                                     const Moments& moments, DataDrivenSpec spec,
                                     DataDrivenEffort effort, const Progress& shown);

}  // namespace skde
