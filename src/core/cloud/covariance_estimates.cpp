#include "core/cloud/covariance_estimates.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "core/cloud/moments.hpp"

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

constexpr std::size_t kNeighbours = 32;

/// Returns the samples with unit variance along the axes of their covariance. Flat axes stay flat.
std::vector<Vec3> rounded(std::span<const Vec3> samples, const Moments& moments) {
  const Eigen3 eigen = eigen_decomposition(moments.covariance());
  std::vector<Vec3> round(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const Vec3 d = samples[i] - moments.mean();
    for (int a = 0; a < 3; ++a) {
      const Vec3 v = eigen.vectors[static_cast<std::size_t>(a)];
      const double variance = eigen.values[static_cast<std::size_t>(a)];
      const double along = d.x * v.x + d.y * v.y + d.z * v.z;
      round[i][a] = variance > 0 ? along / std::sqrt(variance) : 0;
    }
  }
  return round;
}

/// The nearest samples of each, and the squared distance of the furthest of these.
struct Neighbours {
  std::vector<std::uint32_t> nearest;  ///< kNeighbours of each sample
  std::vector<double> furthest;

  explicit Neighbours(const std::vector<Vec3>& round) {
    std::vector<std::pair<double, std::uint32_t>> others(round.size());
    for (const Vec3 p : round) {
      for (std::size_t j = 0; j < round.size(); ++j) {
        const Vec3 d = round[j] - p;
        others[j] = {d.x * d.x + d.y * d.y + d.z * d.z, static_cast<std::uint32_t>(j)};
      }
      std::ranges::nth_element(others, others.begin() + kNeighbours);
      for (std::size_t k = 0; k < kNeighbours; ++k) nearest.push_back(others[k].second);
      furthest.push_back(others[kNeighbours].first);
    }
  }
};

/// Parts of a cloud, joined as the density falls.
class Parts {
 public:
  explicit Parts(const Neighbours& neighbours) : neighbours_(neighbours) {
    const std::size_t count = neighbours.furthest.size();
    root_.assign(count, kNone);
    std::vector<std::size_t> order(count);
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, {}, [&](std::size_t i) { return neighbours.furthest[i]; });
    for (const std::size_t i : order) place(i);
  }
  std::size_t part_of(std::size_t i) {
    while (root_[i] != i) i = root_[i] = root_[root_[i]];
    return i;
  }

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  /// Puts a sample into the part of its densest neighbour, and joins parts that meet there.
  void place(std::size_t i) {
    std::vector<std::size_t> near;
    for (std::size_t k = 0; k < kNeighbours; ++k)
      if (const std::size_t j = neighbours_.nearest[i * kNeighbours + k]; root_[j] != kNone)
        near.push_back(part_of(j));
    root_[i] = i;
    if (near.empty()) return;
    const auto reach = [&](std::size_t part) { return neighbours_.furthest[part]; };
    const std::size_t densest = *std::ranges::min_element(near, {}, reach);
    root_[i] = densest;
    constexpr double kFactor = 1.5874;  // 2^(2/3): densities fall as distances cubed
    for (const std::size_t other : near)
      if (reach(i) < kFactor * reach(part_of(other))) root_[part_of(other)] = part_of(densest);
  }

  const Neighbours& neighbours_;
  std::vector<std::size_t> root_;  // the peak of a part is its own root
};

Moments moments_of(std::span<const Vec3> samples, std::span<const double> weights) {
  std::vector<double> xyz;
  xyz.reserve(3 * samples.size());
  for (const Vec3 p : samples) xyz.insert(xyz.end(), {p.x, p.y, p.z});
  return compute_moments({xyz, weights}, 1);
}

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

Symmetric3 within_covariance(std::span<const Vec3> samples, std::span<const double> weights) {
  constexpr double kLeastShare = 0.05;
  const Moments whole = moments_of(samples, weights);
  if (samples.size() <= 2 * kNeighbours) return whole.covariance();
  const Neighbours neighbours(rounded(samples, whole));
  Parts parts(neighbours);
  std::vector<std::vector<Vec3>> of(samples.size());
  std::vector<std::vector<double>> weights_of(samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    of[parts.part_of(i)].push_back(samples[i]);
    if (!weights.empty()) weights_of[parts.part_of(i)].push_back(weights[i]);
  }
  Symmetric3 pooled;
  double weight = 0;
  for (std::size_t part = 0; part < of.size(); ++part) {
    if (of[part].empty()) continue;
    const Moments own = moments_of(of[part], weights_of[part]);
    if (own.total_weight() < kLeastShare * whole.total_weight()) continue;
    weight += own.total_weight();
    pooled = pooled + own.total_weight() * own.covariance();
  }
  return weight > 0 ? (1 / weight) * pooled : whole.covariance();
}

}  // namespace skde
