#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/cloud/moments.hpp"
#include "core/cloud/samples.hpp"
#include "core/space/space.hpp"

namespace skde {

/// A random choice of the samples of a cloud of any size that arrives in parts. It follows from
/// their indices alone: the same cloud gives the same samples in parts and in memory.
class RandomSamples {
 public:
  static constexpr std::size_t kMost = std::size_t{1} << 14;

  /// Adds the next samples of the cloud. Those without weight are skipped. Once samples have
  /// bandwidth factors or shapes of their own, none are chosen: no common bandwidth is.
  void add(const SamplesView& points);
  /// Returns all samples, or kMost of them, in the order of the cloud.
  Samples chosen() const;

 private:
  struct Entry {
    std::uint64_t hash = 0, index = 0;
    Vec3 point{};
    double weight = 1;
  };
  /// Returns the kMost entries of least hash, or all if there are no more.
  static void keep_least(std::vector<Entry>& entries);

  std::uint64_t next_ = 0;                   ///< index of the next sample in the cloud
  std::uint64_t limit_ = ~std::uint64_t{0};  ///< of the hashes of samples that may still be chosen
  bool shaped_ = false;
  std::vector<Entry> kept_;
};

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
