#pragma once

#include <cstdint>
#include <future>
#include <optional>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "bandwidth/bandwidth_search.hpp"
#include "bandwidth/cross_validation.hpp"
#include "core/cloud/moments.hpp"
#include "core/report/error.hpp"
#include "core/report/stage_times.hpp"

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
/// kMostSharpened samples, drawn at random, by the Gaussian; other rules throw Error(usage).
/// `auto` takes the samples that the moments keep (automatic_bandwidth).
/// Throws what scored_samples throws, Error(input) if the score has no minimum
/// (it names the samples that lie at one place), and Error(cancelled).
DataDrivenBandwidth data_driven_bandwidth(const SamplesView& samples, const Moments& moments,
                                          const DataDrivenSpec& spec,
                                          const DataDrivenEffort& effort, Progress& progress);

/// Returns whether the search sums over pairs of samples, which a GPU does faster (pair_pass()).
bool sums_pairs(const DataDrivenSpec& spec);
/// Starts a CUDA device for it beside the reading of files of so many bytes, if they are many.
/// Returns a valid future if so.
std::future<void> start_for_pairs(const DataDrivenSpec& spec, std::uint64_t bytes, int device);

/// Returns data_driven_bandwidth() if the spec names a data-driven rule or `auto`. Returns nothing
/// for other rules, and for samples with bandwidth factors or shapes of their own.
std::optional<Bandwidth> data_driven_where_asked(const SamplesView& samples, const Moments& moments,
                                                 const DataDrivenSpec& spec,
                                                 const DataDrivenEffort& effort,
                                                 Progress& progress);

/// Throws Error(input): the score has no minimum in the range that was given.
[[noreturn]] void throw_without_minimum(const DataDrivenEffort& effort);

/// The result of the direct plug-in rule, in the space in which S is the unit matrix.
struct PlugIn {
  double h = 0;
  double curvature = 0;    ///< estimate of the integral of (lap f)^2
  double pilot = 0;        ///< deviation of the Gaussian used for that estimate
  double outer_pilot = 0;  ///< the same for the previous stage, the third power of the Laplacian
};

/// Returns the h that minimises the asymptotic mean integrated squared error R(k) / (n h^3) + h^4
/// var(k)^2 / 4 * integral of (lap f)^2. That integral is estimated with a Gaussian whose width
/// follows, in two stages, from the normal density of the cloud's covariance (Wand and Jones 1994,
/// with one pilot for all directions as in Chacon and Duong 2010). n is n_eff; `spread` is the
/// cloud's covariance as returned by spread_of(). Throws Error(cancelled), and Error(input) if the
/// estimate is not above 0.
PlugIn plug_in_bandwidth(const ScoredSamples& cloud, const Moments& moments,
                         const Symmetric3& spread, Progress& progress);

/// Returns that asymptotic error for any h, per unit of volume.
double asymptotic_error(const PlugIn& plug_in, const ScoredSamples& cloud, double n_eff, double h);

}  // namespace skde
