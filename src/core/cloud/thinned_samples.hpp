#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cloud/moments.hpp"
#include "core/cloud/random_samples.hpp"
#include "core/cloud/samples.hpp"
#include "core/space/space.hpp"

namespace skde {

/// Every 2^k-th sample of a cloud of any size that arrives in parts, which is enough for its order
/// statistics, and a random choice of them, in some megabytes.
class ThinnedSamples {
 public:
  /// Adds the next samples of the cloud. Those without weight are skipped.
  void add(const SamplesView& points);

  /// Returns `bounds`, which are those of the whole cloud, without outliers. An outlier lies
  /// outside the interval of the middle 95 % of the samples by more than twice its width, along
  /// some axis. If more than a hundredth of the samples (and more than one) are outliers, they
  /// count as part of the cloud, and the bounds stay.
  Box without_outliers(const Box& bounds) const;
  /// Returns robust_covariance() of some of the samples, with their weights.
  CovarianceOfSome robust_covariance() const;
  /// Stores it, the random choice and within_covariance() of that in the moments of the cloud.
  void keep_in(Moments& moments) const;

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 17;

  void halve();

  std::uint64_t next_ = 0;    ///< index of the next sample in the cloud
  std::uint64_t stride_ = 1;  ///< every stride_-th sample is kept
  std::vector<Vec3> kept_;
  std::vector<double> weights_;  ///< of the kept samples, once one differs from 1
  RandomSamples random_;
};

}  // namespace skde
