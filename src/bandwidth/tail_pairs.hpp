#pragma once

#include <memory>

#include "bandwidth/cross_validation.hpp"
#include "core/space/grid.hpp"

namespace skde {

/// The few far samples of a cloud, kept apart so that the transform of all others needs a smaller
/// box. A still smaller inner box holds only samples that no far sample reaches. The sum over far
/// pairs is that of the samples outside the inner box, less that of those samples inside the box.
class TailPairs {
 public:
  /// For pairs up to `reach` apart, where S is the unit matrix. Returns null if too many samples
  /// lie outside the inner box.
  static std::unique_ptr<const TailPairs> of(const ScoredSamples& cloud, double reach);

  /// The box in the space in which S is the unit matrix, relative to the cloud's first sample.
  const Box& box() const { return box_; }
  /// Returns `sum` over the pairs that are not both within the box.
  template <class Sum>
  auto sum(const Sum& of) const {
    return of(outer_.view()) - of(shell_.view());
  }

 private:
  explicit TailPairs(const Box& box) : box_(box) {}

  Box box_;
  Samples outer_, shell_;
};

}  // namespace skde
