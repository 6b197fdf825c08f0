#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/cloud/samples.hpp"
#include "core/space.hpp"

namespace skde {

/// A robust covariance, found when it is first asked for: few results depend on it, and it takes
/// longer than a small density. Copies share it, and any thread may ask.
class RobustCovariance {
 public:
  /// One that is known.
  RobustCovariance(const Symmetric3& known);  // NOLINT(google-explicit-constructor)
  /// That of samples, as robust_covariance() takes them.
  RobustCovariance(std::vector<Vec3> samples, std::vector<double> weights);

  /// The covariance.
  const Symmetric3& value() const;
  friend bool operator==(const RobustCovariance& a, const RobustCovariance& b) {
    return a.state_ == b.state_ || a.value() == b.value();
  }

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Count, weight, bounding box, mean and covariance of samples, in double, in one pass.
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

  /// Adds samples. Weights must be finite and >= 0, coordinates finite; readers check both.
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
  void keep_robust_covariance(RobustCovariance robust) { robust_ = std::move(robust); }
  friend bool operator==(const Moments&, const Moments&) = default;

 private:
  std::uint64_t count_ = 0;
  double weight_ = 0, weight_squared_ = 0;
  Vec3 mean_;
  Symmetric3 central_;  // sum w (x - mean)(x - mean)^T
  Box bounds_;
  std::optional<RobustCovariance> robust_;
};

/// Returns the moments of a cloud, computed on `threads` threads (0: one per core). Blocks of a
/// fixed size are merged in order, so the result does not depend on the number of threads.
Moments compute_moments(const SamplesView& points, int threads = 0);

}  // namespace skde
