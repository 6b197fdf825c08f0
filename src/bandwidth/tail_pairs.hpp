#pragma once

#include <memory>

#include "bandwidth/cross_validation.hpp"
#include "core/grid.hpp"

namespace skde {

/// The few samples of a cloud that lie far out, so that a transform of all others takes a smaller
/// box. Their pairs are those of the samples outside of a still smaller box, which holds none that
/// one of them reaches, less those of such samples within the box.
class TailPairs {
 public:
  /// Of pairs up to `reach` apart, where S is the unit matrix. Nothing where too many samples are
  /// so near to each other.
  static std::unique_ptr<const TailPairs> of(const ScoredSamples& cloud, double reach);

  /// In the space in which S is the unit matrix, from the cloud's first sample on.
  const Box& box() const { return box_; }
  /// What `sum` is of the pairs that are not both within the box.
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
