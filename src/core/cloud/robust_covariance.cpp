#include "core/cloud/robust_covariance.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace skde {
namespace {

/// Weighted medians of several columns of values that share one set of weights.
class Medians {
 public:
  explicit Medians(std::span<const double> weights)
      : weights_(weights), half_(0.5 * std::accumulate(weights.begin(), weights.end(), 0.0)) {}

  /// Returns the value with half of the weight below and half above. If there are two such values,
  /// returns their mean.
  double of(std::vector<double>& values) {
    if (weights_.empty()) return of_equal(values);
    sorted_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) sorted_[i] = {values[i], weights_[i]};
    std::ranges::sort(sorted_);
    double below = 0;
    for (std::size_t i = 0; i < sorted_.size(); ++i) {
      below += sorted_[i].second;
      if (below < half_ && i + 1 < sorted_.size()) continue;
      const bool between = below == half_ && i + 1 < sorted_.size();
      return between ? 0.5 * (sorted_[i].first + sorted_[i + 1].first) : sorted_[i].first;
    }
    return 0;
  }

  /// Returns the standard deviation of a normal density with the same median absolute deviation.
  double scale(std::vector<double> values) {
    constexpr double kOfNormal = 1.482602218505602;  // 1 over the normal quantile of 3/4
    const double middle = of(values);
    for (double& value : values) value = std::abs(value - middle);
    return kOfNormal * of(values);
  }

 private:
  static double of_equal(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    if (values.size() % 2 == 1) return *middle;
    return 0.5 * (*middle + *std::max_element(values.begin(), middle));
  }

  std::span<const double> weights_;
  double half_;
  std::vector<std::pair<double, double>> sorted_;
};

using Matrix = std::array<Vec3, 3>;  // columns

/// One step: scales the samples along each axis and rotates them onto axes found from the scales of
/// pairwise sums and differences. Returns the matrix that undoes the step.
Matrix orthogonalize(std::array<std::vector<double>, 3>& along, Medians& medians) {
  const std::size_t count = along[0].size();
  Vec3 scales;
  for (int a = 0; a < 3; ++a) {
    auto& values = along[static_cast<std::size_t>(a)];
    scales[a] = medians.scale(values);
    if (scales[a] > 0)
      for (double& value : values) value /= scales[a];
  }
  const auto pair = [&](std::size_t a, std::size_t b) {
    std::vector<double> sum(count), difference(count);
    for (std::size_t i = 0; i < count; ++i) {
      sum[i] = along[a][i] + along[b][i];
      difference[i] = along[a][i] - along[b][i];
    }
    const double s = medians.scale(std::move(sum)), d = medians.scale(std::move(difference));
    return 0.25 * (s * s - d * d);
  };
  const Eigen3 turned = eigen_decomposition({1, pair(0, 1), pair(0, 2), 1, pair(1, 2), 1});
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 at{along[0][i], along[1][i], along[2][i]};
    for (std::size_t a = 0; a < 3; ++a) {
      const Vec3 axis = turned.vectors[a];
      along[a][i] = at.x * axis.x + at.y * axis.y + at.z * axis.z;
    }
  }
  Matrix back;
  for (std::size_t a = 0; a < 3; ++a) {
    const Vec3 axis = turned.vectors[a];
    back[a] = {scales.x * axis.x, scales.y * axis.y, scales.z * axis.z};
  }
  return back;
}

Vec3 times(const Matrix& m, Vec3 v) { return v.x * m[0] + v.y * m[1] + v.z * m[2]; }

}  // namespace

Symmetric3 robust_covariance(std::span<const Vec3> samples, std::span<const double> weights) {
  if (samples.empty()) return {};
  Medians medians(weights);
  std::array<std::vector<double>, 3> along;
  for (std::size_t a = 0; a < 3; ++a) {
    along[a].resize(samples.size());
    std::ranges::transform(samples, along[a].begin(),
                           [a](Vec3 p) { return p[static_cast<int>(a)]; });
  }
  const Matrix first = orthogonalize(along, medians), second = orthogonalize(along, medians);
  Symmetric3 covariance;
  for (std::size_t a = 0; a < 3; ++a) {
    const double scale = medians.scale(along[a]);
    const Vec3 v = scale * times(first, second[a]);
    covariance =
        covariance + Symmetric3{v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z};
  }
  return covariance;
}

}  // namespace skde
