#pragma once

#include <cmath>
#include <numbers>

#include "core/kernel/kernel_function.hpp"
#include "core/space/space.hpp"

namespace skde::test {

inline double direct_profile(KernelFunction function, double q) {
  constexpr double kPi = std::numbers::pi;
  if (function == KernelFunction::gaussian) return std::exp(-q / 2) / std::pow(2 * kPi, 1.5);
  if (function == KernelFunction::exponential) return std::exp(-std::sqrt(q)) / (8 * kPi);
  if (q >= 1) return 0;
  if (function == KernelFunction::linear) return 3 / kPi * (1 - std::sqrt(q));
  if (function == KernelFunction::cosine)
    return std::cos(kPi / 2 * std::sqrt(q)) / (8 - 64 / (kPi * kPi));
  if (const double r = std::sqrt(q); function == KernelFunction::cubic_spline)
    return 8 / kPi * (r < 0.5 ? 1 - 6 * r * r + 6 * r * r * r : 2 * std::pow(1 - r, 3));
  else if (function == KernelFunction::wendland_c2)
    return 21 / (2 * kPi) * std::pow(1 - r, 4) * (1 + 4 * r);
  if (function == KernelFunction::uniform) return 3 / (4 * kPi);
  if (function == KernelFunction::epanechnikov) return 15 / (8 * kPi) * (1 - q);
  if (function == KernelFunction::biweight) return 105 / (32 * kPi) * std::pow(1 - q, 2);
  return 315 / (64 * kPi) * std::pow(1 - q, 3);
}

/// A kernel with the inverse of its matrix, computed by the adjugate.
struct DirectKernel {
  KernelFunction function;
  double p[3][3], height;

  DirectKernel(KernelFunction of, const Symmetric3& H) : function(of) {
    const double m[3][3] = {{H.xx, H.xy, H.xz}, {H.xy, H.yy, H.yz}, {H.xz, H.yz, H.zz}};
    double determinant = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const int a = (i + 1) % 3, b = (i + 2) % 3, c = (j + 1) % 3, d = (j + 2) % 3;
        p[i][j] = m[a][c] * m[b][d] - m[a][d] * m[b][c];
        if (i == 0) determinant += m[0][j] * p[0][j];
      }
    for (auto& row : p)
      for (double& value : row) value /= determinant;
    height = 1 / std::sqrt(determinant);
  }

  double at(const double (&d)[3]) const {
    double q = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) q += d[i] * p[i][j] * d[j];
    return height * direct_profile(function, q);
  }
};

}  // namespace skde::test
