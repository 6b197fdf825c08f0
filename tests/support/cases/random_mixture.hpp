#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>

#include "core/mixture/mixture.hpp"

namespace skde::test {

/// A mixture of needles, plates and balls, turned at random about an origin.
inline Mixture random_mixture(std::size_t count, unsigned seed, Vec3 origin = {}) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.1, 1);
  Mixture mixture;
  mixture.H = {0.02, 0.004, -0.003, 0.03, 0.002, 0.015};
  for (std::size_t i = 0; i < count; ++i) {
    // Needles are long along one axis, plates along two.
    const double lengths[3] = {uniform(random), i % 3 == 0 ? 0.01 : uniform(random),
                               i % 3 == 2 ? uniform(random) : 0.01};
    std::array<double, 4> q{};
    for (double& part : q) part = normal(random);
    const double norm = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
    const double w = q[0] / norm, x = q[1] / norm, y = q[2] / norm, z = q[3] / norm;
    const double axes[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                               {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                               {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    Symmetric3 c = mixture.H;
    for (int a = 0; a < 3; ++a) {
      const double v = lengths[a] * lengths[a], *e = axes[a];
      c = c + Symmetric3{v * e[0] * e[0], v * e[0] * e[1], v * e[0] * e[2],
                         v * e[1] * e[1], v * e[1] * e[2], v * e[2] * e[2]};
    }
    const Vec3 mean = origin + Vec3{2 * normal(random), 2 * normal(random), 2 * normal(random)};
    mixture.members.xyz.insert(mixture.members.xyz.end(), {mean.x, mean.y, mean.z});
    mixture.members.weights.push_back(uniform(random) / static_cast<double>(count));
    mixture.members.shapes.insert(mixture.members.shapes.end(),
                                  {c.xx, c.xy, c.xz, c.yy, c.yz, c.zz});
  }
  return mixture;
}

/// The density of the mixture at a point by its definition, divided by its mass, with `added` to
/// every covariance. Inverts by cofactors; shares no code with the library.
inline double mixture_density(const Mixture& mixture, const std::array<double, 3>& at,
                              const Symmetric3& added = {}) {
  double sum = 0, mass = 0;
  for (std::size_t i = 0; i < mixture.size(); ++i) {
    const double* const s = &mixture.members.shapes[6 * i];
    const long double a = s[0] + added.xx, b = s[1] + added.xy, c = s[2] + added.xz,
                      d = s[3] + added.yy, e = s[4] + added.yz, f = s[5] + added.zz;
    const long double aa = d * f - e * e, ab = c * e - b * f, ac = b * e - c * d,
                      bb = a * f - c * c, bc = b * c - a * e, cc = a * d - b * b;
    const long double determinant = a * aa + b * ab + c * ac;
    const double* const mean = &mixture.members.xyz[3 * i];
    const long double x = at[0] - mean[0], y = at[1] - mean[1], z = at[2] - mean[2];
    const long double q =
        (x * (aa * x + 2 * ab * y + 2 * ac * z) + y * (bb * y + 2 * bc * z) + z * cc * z) /
        determinant;
    const double weight = mixture.members.weights[i];
    mass += weight;
    sum += weight * static_cast<double>(std::exp(-q / 2) / std::sqrt(determinant));
  }
  return sum / mass * std::pow(2 * std::numbers::pi, -1.5);
}

}  // namespace skde::test
