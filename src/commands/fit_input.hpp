#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/held_out_samples.hpp"
#include "cli/command.hpp"
#include "core/space/volume.hpp"
#include "estimate/fields/density_fields.hpp"
#include "estimate/read/cloud.hpp"
#include "estimate/values/density_facts.hpp"
#include "mixture/mixture_fit.hpp"

namespace skde::cli {

/// The input of a fit: a volume, or a cloud and its density.
struct FitSource {
  const DensityOptions* density = nullptr;
  std::string volume{};    ///< path; empty: a cloud
  bool is_fitted = false;  ///< the kernels matter, not the density alone
  bool needs_samples = false;
  bool needs_kernels = false;  ///< of samples that have their own
  double held_out_share = 0;
  std::uint64_t seed = 1;
};

/// Returns the covariance of the kernel of H; none if samples have kernels of their own. `cloud`
/// may be null.
std::optional<Symmetric3> kernel_covariance(const DensityMetadata& metadata,
                                            const SampleCloud* cloud = nullptr);

/// A density to fit, and what is known of it.
struct GivenDensity {
  Volume volume;
  DensityMetadata metadata;
  std::optional<DensityFacts> facts{};         ///< of a cloud's density
  std::shared_ptr<const SampleCloud> cloud{};  ///< if it is in memory; without what was held out
  Samples held_out{};
  std::vector<double> held_out_logs{};  ///< logarithms of f at samples held out
  std::optional<Symmetric3> kernel{};   ///< covariance of the kernel, if all share one
  std::vector<double> own_kernels{};    ///< covariances of the samples' own kernels, if needed
  std::string path{};                   ///< of a volume
  std::vector<Warning> warnings{};      ///< from reading it

  /// Returns this as the input of a fit. This must outlive it.
  FitInput input() const;
};

/// Reads a volume, or computes the density of a cloud. Throws what Session and read_volume throw.
GivenDensity given_density(const FitSource& source, SessionKeeper* sessions, Progress& progress);

/// Returns the Kullback-Leibler divergence from the given density to a mixture on the samples that
/// were held out; none if there are none.
std::optional<SampledDivergence> held_out_divergence(const GivenDensity& given,
                                                     const Mixture& mixture,
                                                     const EngineOptions& options,
                                                     Progress& progress);

/// Predicts density and fit. Reads what planning a density needs.
WorkForecast fit_forecast(const FitSource& source, const FitSpec& spec, SessionKeeper* sessions,
                          Progress& progress);

}  // namespace skde::cli
