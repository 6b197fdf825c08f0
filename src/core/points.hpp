#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/vec3.hpp"

namespace skde {

/// Samples that belong to someone else: `xyz` holds 3 doubles a sample (x, y, z in world units);
/// `weights` is empty (every weight is 1) or holds one non-negative double a sample.
struct PointsView {
  std::span<const double> xyz;
  std::span<const double> weights;

  std::size_t size() const { return xyz.size() / 3; }
  bool weighted() const { return !weights.empty(); }
  Vec3 point(std::size_t i) const { return {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]}; }
  double weight(std::size_t i) const { return weights.empty() ? 1.0 : weights[i]; }
  PointsView slice(std::size_t begin, std::size_t count) const {
    return {xyz.subspan(3 * begin, 3 * count),
            weights.empty() ? weights : weights.subspan(begin, count)};
  }
};

/// Samples in memory. `weights` is empty or as long as there are samples.
struct PointCloud {
  std::vector<double> xyz;
  std::vector<double> weights;

  std::size_t size() const { return xyz.size() / 3; }
  PointsView view() const { return {xyz, weights}; }
};

}  // namespace skde
