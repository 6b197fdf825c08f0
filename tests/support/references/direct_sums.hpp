#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "core/cloud/samples.hpp"
#include "support/references/direct_kernel.hpp"

namespace skde::test {

/// Returns the matrix of a sample's kernel.
inline Symmetric3 direct_matrix(const SamplesView& samples, const Symmetric3& H, std::size_t j) {
  if (!samples.shapes.empty()) return samples.shape(j);
  const double width = samples.bandwidth_factor(j);
  return (width * width) * H;
}

/// Sums over pairs of points and samples by their definition, pair by pair.
struct DirectSums {
  KernelFunction function;
  Symmetric3 H;
  SamplesView samples;

  /// sum_j k(x, y_j) b_j
  double at(Vec3 x, const std::vector<double>& b) const {
    double sum = 0;
    for (std::size_t j = 0; j < samples.size(); ++j) sum += b[j] * pair(x, j);
    return sum;
  }
  double pair(Vec3 x, std::size_t j) const {
    const Vec3 d = x - samples.point(j);
    return DirectKernel(function, direct_matrix(samples, H, j)).at({d.x, d.y, d.z});
  }
  /// The gradient of at(): the derivative of k(q) by q, times the gradient 2 p d of q.
  std::array<double, 3> gradient(Vec3 x, const std::vector<double>& b) const {
    std::array<double, 3> sum{};
    for (std::size_t j = 0; j < samples.size(); ++j) {
      const Vec3 apart = x - samples.point(j);
      const double d[3] = {apart.x, apart.y, apart.z};
      const DirectKernel kernel(function, direct_matrix(samples, H, j));
      double q = 0, half[3] = {0, 0, 0};
      for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) half[r] += kernel.p[r][c] * d[c];
      for (int r = 0; r < 3; ++r) q += d[r] * half[r];
      for (std::size_t r = 0; r < 3; ++r) sum[r] += b[j] * kernel.height * slope(q) * 2 * half[r];
    }
    return sum;
  }

 private:
  double slope(double q) const {
    constexpr double kPi = 3.14159265358979323846;
    if (function == KernelFunction::gaussian)
      return -0.5 * std::exp(-q / 2) / std::pow(2 * kPi, 1.5);
    if (q >= 1 || function == KernelFunction::uniform) return 0;
    if (function == KernelFunction::epanechnikov) return -15 / (8 * kPi);
    if (function == KernelFunction::biweight) return -2 * 105 / (32 * kPi) * (1 - q);
    return -3 * 315 / (64 * kPi) * (1 - q) * (1 - q);
  }
};

}  // namespace skde::test
