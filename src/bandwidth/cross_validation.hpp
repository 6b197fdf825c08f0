#pragma once

#include <cstdint>
#include <memory>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/report/progress.hpp"
#include "core/space.hpp"

namespace skde {

/// The samples that judge bandwidths h in H = h^2 S, and what that may take.
struct ScoredSamples {
  SamplesView samples;  ///< of one kernel for all
  Symmetric3 S;
  KernelFunction kernel{};  ///< that is judged by
  double reference = 1;     ///< an h of the right size, such as Silverman's, of the kernel in use
  /// Between which bandwidths are asked for, as far as that is known; 0: not.
  double finest = 0, widest = 0;
  double most_bytes = 0;  ///< of host memory
  int threads = 0;
};

/// Samples far from all others, whose likelihoods may keep h from getting smaller.
struct LonelySamples {
  static constexpr double kDeviations = 5;  ///< from the nearest other one, at the least
  static constexpr double kNarrower = 1.25;

  std::uint64_t count = 0;
  bool decide = false;  ///< without them the score is lower at h / kNarrower
};

/// A score of bandwidths from the samples themselves, of which the least is the best.
class BandwidthScore {
 public:
  virtual ~BandwidthScore() = default;
  /// Infinite where no density can be h's. Throws Error(cancelled).
  virtual double at(double h, Progress& progress) = 0;
  /// Where the score is least.
  virtual LonelySamples lonely_samples(double /*h*/, Progress&) { return {}; }
};

/// Likelihood cross-validation: -sum_i w_i log f_-i(x_i) / W, where f_-i is the density of all
/// samples but i (Habbema, Hermans and van den Broek 1974; Duin 1976), of the Gaussian whatever the
/// cloud's kernel: with one that ends the score goes by the sample that is furthest from all
/// others. Sums are over all others, however far (KernelLogs); of more than some thousand samples
/// by transforms of the cloud, where memory holds them, but for samples that few others are near
/// to.
std::unique_ptr<BandwidthScore> likelihood_score(const ScoredSamples& cloud);

/// Least-squares cross-validation: the integral of f^2 less 2 sum_i w_i f_-i(x_i) / W, the mean
/// integrated squared error but for a constant (Rudemo 1982, Bowman 1984). From all pairs within
/// twice a kernel's reach; of the Gaussian and more than some thousand samples from one transform
/// of the cloud (SpectralPower), where memory holds it.
std::unique_ptr<BandwidthScore> least_squares_score(const ScoredSamples& cloud);

/// The part of the least-squares score that grows as h^-3 where h is so small that samples at one
/// place alone are neighbours, in units of the cloud's own part: below 0 the score falls for ever
/// as h goes to 0, and its least value says nothing.
struct RepeatedSamples {
  double share = 0;  ///< of the weight that lies at another sample's place
  double limit = 1;
};
RepeatedSamples repeated_samples(const ScoredSamples& cloud);

}  // namespace skde
