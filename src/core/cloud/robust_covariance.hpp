#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/space.hpp"

namespace skde {

/// Returns a covariance that a few far samples change little: the orthogonalised estimate of
/// Gnanadesikan and Kettenring by Maronna and Zamar (Technometrics 44(4), 2002), in two steps and
/// without reweighting. Scales are median distances from the median, times 1.4826, so the result
/// for a normal density is its covariance. In squared units of the coordinates. `weights` is empty
/// or holds one weight above 0 per sample. An axis along which more than half of the weight lies at
/// one place has no variance.
Symmetric3 robust_covariance(std::span<const Vec3> samples, std::span<const double> weights);

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

}  // namespace skde
