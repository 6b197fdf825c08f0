#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "core/cloud/samples.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/report/progress.hpp"
#include "core/space/space.hpp"

namespace skde {

/// The samples that judge bandwidths h in H = h^2 S, and the resources that this may take.
struct ScoredSamples {
  SamplesView samples;  ///< all with the same kernel
  Symmetric3 S;
  KernelFunction kernel{};  ///< kernel used to judge
  double reference = 1;     ///< h of the right order, such as Silverman's, for this kernel
  /// The range of bandwidths that will be asked for; 0 if unknown.
  double finest = 0, widest = 0;
  double most_bytes = 0;  ///< of host memory
  int threads = 0;
  double factor = 1;         ///< DataDrivenEffort::factor
  std::optional<int> gpu{};  ///< DataDrivenEffort::gpu
  bool gpu_starts = false;   ///< DataDrivenEffort::gpu_starts
};

/// Samples far from all others, whose likelihoods may keep h from getting smaller.
struct LonelySamples {
  static constexpr double kDeviations = 5;  ///< least distance from the nearest other sample
  static constexpr double kNarrower = 1.25;

  std::uint64_t count = 0;
  bool decide = false;  ///< without them the score is lower at h / kNarrower
};

/// A score of bandwidths, computed from the samples; the lowest is the best.
class BandwidthScore {
 public:
  virtual ~BandwidthScore() = default;
  /// Returns the score of h; infinite if h gives no density. Throws Error(cancelled).
  virtual double at(double h, Progress& progress) = 0;
  /// Returns the lonely samples for the h with the lowest score.
  virtual LonelySamples lonely_samples(double /*h*/, Progress&) { return {}; }
};

/// Likelihood cross-validation: -sum_i w_i log f_-i(x_i) / W, where f_-i is the density of all
/// samples but i (Habbema, Hermans and van den Broek 1974; Duin 1976). It always uses the Gaussian:
/// with a compact kernel, the sample furthest from all others would decide the score. Sums are over
/// all others, however far (KernelLogs). More than some thousand samples are summed by transforms
/// of the cloud if memory suffices, except samples with few others near.
std::unique_ptr<BandwidthScore> likelihood_score(const ScoredSamples& cloud);

/// Least-squares cross-validation: the integral of f^2 less 2 sum_i w_i f_-i(x_i) / W, which is the
/// mean integrated squared error up to a constant (Rudemo 1982, Bowman 1984). It is summed over all
/// pairs within twice a kernel's reach. For the Gaussian and more than some thousand samples it
/// comes from one transform of the cloud (SpectralPower), if memory suffices.
std::unique_ptr<BandwidthScore> least_squares_score(const ScoredSamples& cloud);

/// The part of the least-squares score that grows as h^-3 once h is so small that only samples at
/// one place are neighbours. `limit` is this part over what samples add with themselves alone. If
/// it is below 0, the score falls without limit as h goes to 0, and its lowest value is
/// meaningless.
struct RepeatedSamples {
  double share = 0;  ///< share of the weight at another sample's place
  double limit = 1;
};
RepeatedSamples repeated_samples(const ScoredSamples& cloud);

}  // namespace skde
