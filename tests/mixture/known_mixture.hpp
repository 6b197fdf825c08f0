#pragma once

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <span>
#include <vector>

#include "mixture/mixture_fit.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"

/// A density of three Gaussians, and fits of it.
namespace skde::test {

inline NoProgress no_progress;

/// One Gaussian of a known density.
struct Part {
  double mass;
  Vec3 mean;
  Symmetric3 covariance;
};

inline const std::array<Part, 3> kParts{{{0.5, {-2, 0, 1}, {1, 0.3, 0, 0.8, 0, 0.6}},
                                         {0.3, {2, 1, -1}, {0.5, 0, 0.1, 0.7, -0.2, 1.2}},
                                         {0.2, {0, -3, 0}, {0.9, -0.4, 0, 0.9, 0.1, 0.5}}}};

inline const Grid kGrid{{-7, -8, -6}, {0.4, 0.4, 0.4}, {35, 37, 30}};

/// The density of a Gaussian by its definition.
inline double gaussian_at(const Symmetric3& m, Vec3 d) {
  const double xx = m.yy * m.zz - m.yz * m.yz, xy = m.xz * m.yz - m.xy * m.zz,
               xz = m.xy * m.yz - m.xz * m.yy;
  const double det = m.xx * xx + m.xy * xy + m.xz * xz;
  const double yy = m.xx * m.zz - m.xz * m.xz, yz = m.xy * m.xz - m.xx * m.yz,
               zz = m.xx * m.yy - m.xy * m.xy;
  const double q = (xx * d.x * d.x + yy * d.y * d.y + zz * d.z * d.z +
                    2 * (xy * d.x * d.y + xz * d.x * d.z + yz * d.y * d.z)) /
                   det;
  return std::exp(-q / 2) / std::sqrt(std::pow(2 * std::numbers::pi, 3) * det);
}

inline double known_at(Vec3 at) {
  double sum = 0;
  for (const Part& part : kParts) sum += part.mass * gaussian_at(part.covariance, at - part.mean);
  return sum;
}

inline Volume known_volume() {
  std::vector<double> values;
  for (const auto& [i, j, k] : cells_of(kGrid.dims))
    values.push_back(known_at(kGrid.centre(i, j, k)));
  return {kGrid, std::move(values)};
}

/// Draws from the known density.
inline std::vector<double> known_samples(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::vector<double> xyz;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = std::uniform_real_distribution<double>(0, 1)(random);
    const Part& part = u < 0.5 ? kParts[0] : u < 0.8 ? kParts[1] : kParts[2];
    const Symmetric3& m = part.covariance;
    const double lxx = std::sqrt(m.xx), lyx = m.xy / lxx, lzx = m.xz / lxx,
                 lyy = std::sqrt(m.yy - lyx * lyx), lzy = (m.yz - lyx * lzx) / lyy,
                 lzz = std::sqrt(m.zz - lzx * lzx - lzy * lzy);
    const double a = normal(random), b = normal(random), c = normal(random);
    xyz.insert(xyz.end(), {part.mean.x + lxx * a, part.mean.y + lyx * a + lyy * b,
                           part.mean.z + lzx * a + lzy * b + lzz * c});
  }
  return xyz;
}

/// Returns the member of a fit that is nearest to a part.
inline std::size_t nearest(const Mixture& mixture, Vec3 mean) {
  std::size_t best = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t k = 0; k < mixture.size(); ++k) {
    const Vec3 d = mixture.members.view().point(k) - mean;
    const double far = d.x * d.x + d.y * d.y + d.z * d.z;
    if (far < least) least = far, best = k;
  }
  return best;
}

inline void check_found(const Mixture& mixture, double error) {
  REQUIRE(mixture.size() == kParts.size());
  for (const Part& part : kParts) {
    const std::size_t k = nearest(mixture, part.mean);
    const SamplesView members = mixture.members.view();
    CHECK(members.weight(k) == Approx(part.mass).margin(error));
    const Vec3 mean = members.point(k);
    const Symmetric3 c = members.shape(k);
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(mean[axis] == Approx(part.mean[axis]).margin(3 * error));
      for (int other = axis; other < 3; ++other)
        CHECK(c(axis, other) == Approx(part.covariance(axis, other)).margin(6 * error));
    }
  }
}

inline Mixture mixture_of_parts(std::span<const Part> parts) {
  Mixture mixture;
  for (const Part& part : parts) {
    mixture.members.xyz.insert(mixture.members.xyz.end(), {part.mean.x, part.mean.y, part.mean.z});
    mixture.members.weights.push_back(part.mass);
    const Symmetric3& c = part.covariance;
    mixture.members.shapes.insert(mixture.members.shapes.end(),
                                  {c.xx, c.xy, c.xz, c.yy, c.yz, c.zz});
  }
  return mixture;
}

inline FitSpec spec_of(std::size_t members, std::int64_t steps, FitLoss loss = FitLoss::l2) {
  FitSpec spec;
  spec.members = members;
  spec.steps = steps;
  spec.loss = loss;
  spec.device = Device::cpu;
  return spec;
}

}  // namespace skde::test
