#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "core/space/space.hpp"

namespace skde {

/// A view of samples that it does not own. `xyz` holds 3 doubles per sample (x, y, z in world
/// units). `weights` is empty (every weight is 1) or holds one double per sample, below 0 only in
/// sums of signed fields.
/// `bandwidth_factors` is empty (every sample has the kernel's H) or holds one positive double per
/// sample: H_i = bandwidth_factors[i]^2 H. `shapes` is empty or holds 6 doubles per sample, its own
/// H_i (xx, xy, xz, yy, yz, zz in squared world units), which replaces H. bandwidth_factors and
/// shapes are never both set.
struct SamplesView {
  std::span<const double> xyz;
  std::span<const double> weights{};
  std::span<const double> bandwidth_factors{};
  std::span<const double> shapes{};

  std::size_t size() const { return xyz.size() / 3; }
  bool weighted() const { return !weights.empty(); }
  bool shaped() const { return !bandwidth_factors.empty() || !shapes.empty(); }
  Vec3 point(std::size_t i) const { return {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]}; }
  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
  double total_weight() const {
    return weights.empty() ? static_cast<double>(size())
                           : std::accumulate(weights.begin(), weights.end(), 0.0);
  }
  bool equally_weighted() const {
    return std::ranges::adjacent_find(weights, std::not_equal_to<>{}) == weights.end();
  }
  double bandwidth_factor(std::size_t i) const {
    return bandwidth_factors.empty() ? 1.0 : bandwidth_factors[i];
  }
  /// H_i of sample i; requires shapes.
  Symmetric3 shape(std::size_t i) const {
    const auto m = shapes.subspan(6 * i, 6);
    return {m[0], m[1], m[2], m[3], m[4], m[5]};
  }
  SamplesView slice(std::size_t begin, std::size_t count) const {
    return {xyz.subspan(3 * begin, 3 * count),
            weights.empty() ? weights : weights.subspan(begin, count),
            bandwidth_factors.empty() ? bandwidth_factors : bandwidth_factors.subspan(begin, count),
            shapes.empty() ? shapes : shapes.subspan(6 * begin, 6 * count)};
  }
};

/// Samples in memory, laid out as in SamplesView.
struct Samples {
  std::vector<double> xyz;
  std::vector<double> weights{};
  std::vector<double> bandwidth_factors{};
  std::vector<double> shapes{};
  /// Empty, or one number per sample: the index of its category. SamplesView has no categories.
  std::vector<std::uint32_t> categories{};
  /// Empty, or the further numbers per sample that its reader was asked for. SamplesView has none.
  std::vector<double> values{};

  std::size_t size() const { return xyz.size() / 3; }
  SamplesView view() const { return {xyz, weights, bandwidth_factors, shapes}; }
  /// Removes all samples but keeps the memory for others.
  void clear() {
    for (auto* const column : {&xyz, &weights, &bandwidth_factors, &shapes, &values})
      column->clear();
    categories.clear();
  }
};

/// Appends samples that have the same columns as those already there.
inline void append_samples(Samples& to, const SamplesView& points) {
  to.xyz.insert(to.xyz.end(), points.xyz.begin(), points.xyz.end());
  to.weights.insert(to.weights.end(), points.weights.begin(), points.weights.end());
  to.bandwidth_factors.insert(to.bandwidth_factors.end(), points.bandwidth_factors.begin(),
                              points.bandwidth_factors.end());
  to.shapes.insert(to.shapes.end(), points.shapes.begin(), points.shapes.end());
}

}  // namespace skde
