#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "core/cloud/samples.hpp"
#include "core/space.hpp"

namespace skde {

/// Count, weight, bounding box, mean and covariance of samples, in double, in one pass.
///
/// The second moments are kept about the mean, so coordinates near 1e6 keep their digits, and two
/// of them merge by the update of Chan, Golub and LeVeque (1983): clouds can be streamed, split
/// over threads or over devices.
class Moments {
 public:
  /// Samples whose sums share one shift. Whoever merges the moments of blocks of so many in their
  /// order gets the bits of compute_moments().
  static constexpr std::size_t kBlock = std::size_t{1} << 14;

  /// Sums about `shift`, as a block of samples yields them: weight = sum w, weight_squared =
  /// sum w^2, first = sum w (x - shift), second = sum w (x - shift)(x - shift)^T.
  struct Sums {
    std::uint64_t count = 0;
    double weight = 0, weight_squared = 0;
    Vec3 shift, first;
    Symmetric3 second;
    Box bounds;
  };

  Moments() = default;
  explicit Moments(const Sums& sums);

  /// Adds samples. Weights must be finite and >= 0, coordinates finite; readers see to both.
  void add(const SamplesView& points);
  /// Adds count, weight and bounds of samples alone, for less than half of the work: mean and
  /// covariance mean nothing afterwards.
  void add_totals(const SamplesView& points);
  void merge(const Moments& other);

  std::uint64_t count() const { return count_; }
  double total_weight() const { return weight_; }
  /// n_eff = W^2 / sum w^2; the count where all weights are equal.
  double effective_samples() const;
  /// The box around the samples with a weight above 0. Undefined while count() is 0.
  const Box& bounds() const { return bounds_; }
  Vec3 mean() const { return mean_; }
  /// Population covariance sum w (x - mean)(x - mean)^T / W.
  Symmetric3 covariance() const;
  /// What robust_covariance() of the samples, or of some of them, is, as whoever has them keeps it
  /// here; none where nobody did. Nothing else depends on it, and merge() leaves it.
  const std::optional<Symmetric3>& robust_covariance() const { return robust_; }
  void keep_robust_covariance(const Symmetric3& robust) { robust_ = robust; }
  friend bool operator==(const Moments&, const Moments&) = default;

 private:
  std::uint64_t count_ = 0;
  double weight_ = 0, weight_squared_ = 0;
  Vec3 mean_;
  Symmetric3 central_;  // sum w (x - mean)(x - mean)^T
  Box bounds_;
  std::optional<Symmetric3> robust_;
};

/// The moments of a cloud on all the given threads (0: as many as there are cores). The samples are
/// cut into blocks of a fixed size that are merged in order, so the result does not depend on the
/// number of threads.
Moments compute_moments(const SamplesView& points, int threads = 0);

}  // namespace skde
