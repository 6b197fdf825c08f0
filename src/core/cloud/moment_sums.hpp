#pragma once

#include <array>
#include <cstdint>

#include "core/cloud/exact_sum.hpp"
#include "core/cloud/moments.hpp"
#include "core/cloud/samples.hpp"

namespace skde {

/// Returns the sums of samples without weights, each counted as 1. They are added in the order of
/// the samples, so the bits are the same on every machine, whatever instructions it has.
Moments::Sums plain_sums(const SamplesView& points);

/// Returns the bounding box of samples, of which there must be at least one.
Box box_around(const SamplesView& points);

/// The sums behind the moments of a cloud, without any rounding. The moments have the same bits
/// however the cloud was divided and in whatever order its parts were merged. Takes about 50 times
/// as long as Moments.
class ExactMoments {
 public:
  /// The sums from which the moments are computed, as stored in files.
  struct Sums {
    std::uint64_t count = 0;
    double largest_weight = 0;
    Box bounds{};  ///< of the samples with a weight above 0
    ExactSum weight, weight_squared;
    std::array<ExactSum, 3> first;   ///< of w x
    std::array<ExactSum, 6> second;  ///< of w x x^T: xx, xy, xz, yy, yz, zz

    friend bool operator==(const Sums&, const Sums&) = default;
  };

  ExactMoments() = default;
  explicit ExactMoments(const Sums& sums) : sums_(sums) {}

  /// Adds samples on `threads` threads (0: one per core). Weights must be finite and at least 0,
  /// coordinates finite.
  void add(const SamplesView& points, int threads = 0);
  void merge(const ExactMoments& other);

  std::uint64_t count() const { return sums_.count; }
  /// The largest weight of a sample. total_weight() is the double nearest to the sum of all
  /// weights.
  double largest_weight() const { return sums_.largest_weight; }
  double total_weight() const { return sums_.weight.value(); }
  const Sums& sums() const { return sums_; }
  Moments moments() const;
  friend bool operator==(const ExactMoments&, const ExactMoments&) = default;

 private:
  void add_share(const SamplesView& points);

  Sums sums_;
};

}  // namespace skde
