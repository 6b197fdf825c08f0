#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/space/space.hpp"

namespace skde {

/// A covariance of some samples, found when it is first asked for: few results depend on it, and it
/// takes longer than a small density. Copies share it, and any thread may ask.
class CovarianceOfSome {
 public:
  /// robust_covariance() or within_covariance().
  using Finding = Symmetric3 (*)(std::span<const Vec3> samples, std::span<const double> weights);

  /// One that is known.
  CovarianceOfSome(const Symmetric3& known);  // NOLINT(google-explicit-constructor)
  /// Finds that of samples. `weights` is empty or holds one weight per sample.
  CovarianceOfSome(Finding finding, std::vector<Vec3> samples, std::vector<double> weights);

  /// The covariance.
  const Symmetric3& value() const;
  friend bool operator==(const CovarianceOfSome& a, const CovarianceOfSome& b) {
    return a.state_ == b.state_ || a.value() == b.value();
  }

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Count, weight, bounding box, mean and covariance of samples, in double, in one pass. A weight
/// below 0 counts as its absolute value.
///
/// The second moments are kept about the mean, so coordinates near 1e6 keep their digits. Two
/// Moments merge by the update of Chan, Golub and LeVeque (1983), so clouds can be streamed or
/// split over threads or devices.
class Moments {
 public:
  /// Number of samples whose sums share one shift. Merging the moments of blocks of this size in
  /// order gives the bits of compute_moments().
  static constexpr std::size_t kBlock = std::size_t{1} << 14;

  /// Sums about `shift` over one block of samples: weight = sum w, weight_squared = sum w^2, and
  /// with d = x - shift, first = sum w d, second = sum w d d^T.
  struct Sums {
    std::uint64_t count = 0;
    double weight = 0, weight_squared = 0;
    Vec3 shift, first;
    Symmetric3 second;
    Box bounds;
  };

  Moments() = default;
  explicit Moments(const Sums& sums);

  /// Adds samples. Weights must be finite, coordinates finite; readers check both.
  void add(const SamplesView& points);
  /// Adds only count, weight and bounds of samples, for less than half of the work. Mean and
  /// covariance are meaningless afterwards.
  void add_totals(const SamplesView& points);
  void merge(const Moments& other);

  std::uint64_t count() const { return count_; }
  double total_weight() const { return weight_; }
  /// n_eff = W^2 / sum w^2; equals the count if all weights are equal.
  double effective_samples() const;
  /// The bounding box of the samples with a weight above 0. Undefined while count() is 0.
  const Box& bounds() const { return bounds_; }
  Vec3 mean() const { return mean_; }
  /// Population covariance sum w (x - mean)(x - mean)^T / W.
  Symmetric3 covariance() const;
  /// Sums about the mean, from which Moments(sums) makes the same bits. They lack the robust
  /// covariance.
  Sums about_mean() const {
    return {count_, weight_, weight_squared_, mean_, {}, central_, bounds_};
  }
  /// The robust_covariance() of the samples, or of some of them, if a caller stored it here; else
  /// none. Nothing else depends on it, and merge() does not change it.
  std::optional<Symmetric3> robust_covariance() const {
    return robust_ ? std::optional(robust_->value()) : std::nullopt;
  }
  void keep_robust_covariance(CovarianceOfSome robust) { robust_ = std::move(robust); }
  /// The within_covariance() of some of the samples; stored and compared as the robust one.
  std::optional<Symmetric3> within_covariance() const {
    return within_ ? std::optional(within_->value()) : std::nullopt;
  }
  void keep_within_covariance(CovarianceOfSome within) { within_ = std::move(within); }
  /// A random choice of the samples (RandomSamples), if a caller stored it here; else null. Copies
  /// share it. Nothing else depends on it, and merge() does not change it.
  const std::shared_ptr<const Samples>& some() const { return some_; }
  void keep_some(Samples some) { some_ = std::make_shared<const Samples>(std::move(some)); }
  /// Compares all but what follows from a random choice of the samples.
  friend bool operator==(const Moments& a, const Moments& b) {
    return a.count_ == b.count_ && a.weight_ == b.weight_ &&
           a.weight_squared_ == b.weight_squared_ && a.mean_ == b.mean_ &&
           a.central_ == b.central_ && a.bounds_ == b.bounds_ && a.robust_ == b.robust_;
  }

 private:
  std::uint64_t count_ = 0;
  double weight_ = 0, weight_squared_ = 0;
  Vec3 mean_;
  Symmetric3 central_;  // sum w (x - mean)(x - mean)^T
  Box bounds_;
  std::optional<CovarianceOfSome> robust_, within_;
  std::shared_ptr<const Samples> some_;
};

/// Returns the moments of a cloud, computed on `threads` threads (0: one per core). Blocks of a
/// fixed size are merged in order, so the result does not depend on the number of threads.
Moments compute_moments(const SamplesView& points, int threads = 0);

}  // namespace skde
