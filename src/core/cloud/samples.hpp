#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/space.hpp"

namespace skde {

/// Samples that belong to someone else: `xyz` holds 3 doubles a sample (x, y, z in world units);
/// `weights` is empty (every weight is 1) or holds one non-negative double a sample;
/// `bandwidth_factors` is empty (every sample has the kernel's H) or holds one positive double a
/// sample, and H_i = bandwidth_factors[i]^2 H; `shapes` is empty or holds 6 doubles a sample, its
/// own H_i (xx, xy, xz, yy, yz, zz in squared world units) instead of H. Never both
/// bandwidth_factors and shapes.
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
  double bandwidth_factor(std::size_t i) const {
    return bandwidth_factors.empty() ? 1.0 : bandwidth_factors[i];
  }
  /// Where there are shapes.
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

/// Samples in memory, as SamplesView has them.
struct Samples {
  std::vector<double> xyz;
  std::vector<double> weights{};
  std::vector<double> bandwidth_factors{};
  std::vector<double> shapes{};
  /// Empty, or a number a sample: which of some categories it is of. No view has them.
  std::vector<std::uint32_t> categories{};
  /// Empty, or as many numbers a sample as its reader was asked for besides. No view has them.
  std::vector<double> values{};

  std::size_t size() const { return xyz.size() / 3; }
  SamplesView view() const { return {xyz, weights, bandwidth_factors, shapes}; }
  /// Keeps the memory for other samples.
  void clear() {
    for (auto* const column : {&xyz, &weights, &bandwidth_factors, &shapes, &values})
      column->clear();
    categories.clear();
  }
};

/// Appends samples that have what those before them have.
inline void append_samples(Samples& to, const SamplesView& points) {
  to.xyz.insert(to.xyz.end(), points.xyz.begin(), points.xyz.end());
  to.weights.insert(to.weights.end(), points.weights.begin(), points.weights.end());
  to.bandwidth_factors.insert(to.bandwidth_factors.end(), points.bandwidth_factors.begin(),
                              points.bandwidth_factors.end());
  to.shapes.insert(to.shapes.end(), points.shapes.begin(), points.shapes.end());
}

}  // namespace skde
