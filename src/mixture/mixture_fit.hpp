#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/mixture/member.hpp"
#include "core/mixture/mixture.hpp"
#include "core/problem.hpp"
#include "core/report/progress.hpp"
#include "core/report/words.hpp"
#include "core/space/volume.hpp"
#include "engines/engine_options.hpp"

namespace skde {

/// What a fit minimises.
enum class FitLoss {
  l2,          ///< the squared error over the cells, by Adam
  likelihood,  ///< the cross-entropy of samples, by expectation-maximisation
};
inline constexpr Words<FitLoss, 2> kFitLosses{
    {{"l2", FitLoss::l2}, {"likelihood", FitLoss::likelihood}}};

/// How a mixture is fitted.
struct FitSpec {
  std::size_t members = 0;  ///< K; 0: the smallest power of two that reaches `error`
  double error = 0;         ///< the relative L2 error to reach, if K is not given
  FitLoss loss = FitLoss::l2;
  std::optional<std::int64_t> steps{};  ///< none: kDefaultSteps of the loss
  std::uint64_t seed = 1;               ///< of the start; 1: the plain one
  std::optional<Device> device{};       ///< none: the faster one
  EngineOptions options{};
};
inline constexpr std::int64_t kDefaultGradientSteps = 2000, kDefaultMaximisingSteps = 100;

/// How a fit ended.
struct FitFacts {
  std::size_t members = 0;
  double relative_error = 0;  ///< sqrt(sum (m - f)^2 / sum f^2) over the grid
  double psnr = 0;            ///< 20 log10(peak of f / root mean square of m - f), in decibels
  double largest_error = 0;   ///< of a cell, as a share of the peak of f
  double mass = 0;            ///< the sum of the masses
  double given_mass = 0;      ///< what f holds in the grid
  /// Kullback-Leibler divergence from the given density to the mixture over the cells, in nats.
  double divergence = 0;
  std::int64_t parameters = 0;  ///< free numbers: 10 for each member
  std::int64_t steps = 0;
  double seconds = 0;
  std::string engine;  ///< device and method
};

/// A fitted mixture and what it reaches.
struct MixtureFit {
  Mixture mixture;
  FitFacts facts;
};

/// What a fit starts from: a density on a grid, and the samples behind it if there are any.
struct FitInput {
  const Volume* volume = nullptr;  ///< f; its values are density per (world unit)^3
  SamplesView samples{};           ///< empty: only the volume is known
  Symmetric3 kernel{};             ///< H of f as a covariance; 0 if it is not known
  /// Covariances of the samples' own kernels (6 doubles each); empty if all share H.
  std::span<const double> own_kernels{};
};

/// Returns a mixture's density at points, in 1 / (world unit)^3. Throws Error(usage) if a point is
/// not finite, Error(resources) and Error(cancelled).
std::vector<double> mixture_at(const Mixture& mixture, const TargetPoints& points,
                               const EngineOptions& options, Progress& progress);
/// Returns the logarithms of a mixture's density at points, summed without a cut: they are finite
/// at any distance. Throws the same.
std::vector<double> mixture_logs_at(const Mixture& mixture, const TargetPoints& points,
                                    const EngineOptions& options, Progress& progress);
/// Returns a mixture's density at the cells of a grid. Throws Error(resources) and
/// Error(cancelled).
Volume mixture_on(const Mixture& mixture, const Grid& grid, Precision precision,
                  const EngineOptions& options, Progress& progress);
/// Returns the derivatives of a loss by every member, in world units, from its derivatives dL/dm by
/// the density m at the points or cells, x fastest; summed in double. Throws Error(usage) if these
/// are not as many as the values or a point is not finite, Error(resources) and Error(cancelled).
std::vector<MemberGradient> mixture_gradient(const Mixture& mixture, const Target& target,
                                             std::span<const double> cotangents,
                                             const EngineOptions& options, Progress& progress);

/// Called now and then with the steps done and the relative error of the mixture so far; returns
/// whether the fit should end with the members it has.
using FitWatch = std::function<bool(std::int64_t step, double relative_error)>;

/// Fits K Gaussians to a density. Starts from clusters, or from `from` with its members. The same
/// seed gives the same bits on the same machine. Throws Error(input) if the volume has negative
/// values, values that are not finite, or only zeros; Error(usage) if there are more members than
/// cells that are not 0; Error(resources); Error(cancelled).
MixtureFit fit_mixture(const FitInput& input, const FitSpec& spec, Progress& progress,
                       const FitWatch& watch = {}, const Mixture* from = nullptr);

}  // namespace skde
