#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/space.hpp"

namespace skde {

/// Every 2^k-th sample of a cloud, however large it is and however it comes in parts: enough for
/// its order statistics, in some megabytes.
class ThinnedSamples {
 public:
  /// Adds the next samples of the cloud; those without weight do not count.
  void add(const SamplesView& points);

  /// `bounds`, those of the whole cloud, without its outliers. An outlier lies beyond the middle 95
  /// % of the samples by more than twice their width along some axis. Where more than a hundredth
  /// of the samples (and more than one) do, they are no outliers but a part of the cloud, and the
  /// bounds stay.
  Box without_outliers(const Box& bounds) const;
  /// robust_covariance() of some of the samples, with their weights.
  Symmetric3 robust_covariance() const;

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 17;

  void halve();

  std::uint64_t next_ = 0;    ///< index of the next sample in the cloud
  std::uint64_t stride_ = 1;  ///< every so many are kept
  std::vector<Vec3> kept_;
  std::vector<double> weights_;  ///< theirs, from the first one on that is not 1
};

}  // namespace skde
