#pragma once

#include <cmath>
#include <numbers>

#include "core/space/space.hpp"

namespace skde {

/// The eigenvalues of a matrix, ascending, in closed form. Accurate to 1e-8 of the largest.
struct Eigenvalues3 {
  double low, middle, high;
};

SKDE_HOST_DEVICE inline Eigenvalues3 eigenvalues_of(const Symmetric3& m) {
  // With m = mean + p B, the eigenvalues of B are 2 cos(angle + 2 pi k / 3) (Smith 1961).
  const double mean = (m.xx + m.yy + m.zz) / 3;
  const double x = m.xx - mean, y = m.yy - mean, z = m.zz - mean;
  const double off = m.xy * m.xy + m.xz * m.xz + m.yz * m.yz;
  const double p = std::sqrt((x * x + y * y + z * z + 2 * off) / 6);
  if (!(p > 0)) return {mean, mean, mean};
  const double bx = x / p, by = y / p, bz = z / p, a = m.xy / p, b = m.xz / p, c = m.yz / p;
  double half = (bx * (by * bz - c * c) - a * (a * bz - c * b) + b * (a * c - by * b)) / 2;
  half = half < -1 ? -1 : half > 1 ? 1 : half;
  const double angle = std::acos(half) / 3;
  const double high = mean + 2 * p * std::cos(angle);
  const double low = mean + 2 * p * std::cos(angle + 2 * std::numbers::pi / 3);
  return {low, 3 * mean - low - high, high};
}

/// True if no eigenvalue is below the floor, found from the Cholesky factors of m - floor.
SKDE_HOST_DEVICE inline bool is_above(const Symmetric3& m, double floor) {
  const double xx = m.xx - floor, yy = m.yy - floor, zz = m.zz - floor;
  if (!(xx > 0)) return false;
  const double y = yy - m.xy * m.xy / xx, yz = m.yz - m.xy * m.xz / xx;
  if (!(y > 0)) return false;
  return zz - m.xz * m.xz / xx - yz * yz / y > 0;
}

/// Returns the matrix with eigenvalues below the floor raised to it. Other eigenvalues and all axes
/// stay. The result is the polynomial of m that takes the new values at m's eigenvalues, in
/// Newton's form, which keeps its digits where eigenvalues meet.
SKDE_HOST_DEVICE inline Symmetric3 raise_to_floor(const Symmetric3& m, double floor) {
  const Eigenvalues3 at = eigenvalues_of(m);
  const auto raised = [floor](double value) { return value > floor ? value : floor; };
  const auto slope = [&raised](double from, double to) {
    return to > from ? (raised(to) - raised(from)) / (to - from) : 0.0;
  };
  const double value = raised(at.low), first = slope(at.low, at.middle);
  const double second =
      at.high > at.low ? (slope(at.middle, at.high) - first) / (at.high - at.low) : 0.0;
  const double ax = m.xx - at.low, ay = m.yy - at.low, az = m.zz - at.low;
  const double bx = m.xx - at.middle, by = m.yy - at.middle, bz = m.zz - at.middle;
  // (m - low) (m - middle) is symmetric because both factors are polynomials of m.
  const Symmetric3 product{
      ax * bx + m.xy * m.xy + m.xz * m.xz, ax * m.xy + m.xy * by + m.xz * m.yz,
      ax * m.xz + m.xy * m.yz + m.xz * bz, m.xy * m.xy + ay * by + m.yz * m.yz,
      m.xy * m.xz + ay * m.yz + m.yz * bz, m.xz * m.xz + m.yz * m.yz + az * bz};
  return {value + first * ax + second * product.xx, first * m.xy + second * product.xy,
          first * m.xz + second * product.xz,       value + first * ay + second * product.yy,
          first * m.yz + second * product.yz,       value + first * az + second * product.zz};
}

/// True if the matrix is positive definite up to rounding: thin axes may round to 0 beside long
/// ones.
inline bool is_covariance(const Symmetric3& m) {
  constexpr double kRounding = 1e-10;
  if (!(m.xx > 0 && m.yy > 0 && m.zz > 0 && std::isfinite(m.trace() + m.xy + m.xz + m.yz)))
    return false;
  const double x = 1 / std::sqrt(m.xx), y = 1 / std::sqrt(m.yy), z = 1 / std::sqrt(m.zz);
  return is_above({1, m.xy * x * y, m.xz * x * z, 1, m.yz * y * z, 1}, -kRounding);
}

}  // namespace skde
