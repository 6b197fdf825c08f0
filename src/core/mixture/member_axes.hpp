#pragma once

#include <array>
#include <cmath>
#include <cstddef>

#include "core/mixture/member.hpp"

namespace skde {

/// A covariance by its axes: R diag(exp(2 log_scales)) R^T, with R of the quaternion w, x, y, z.
/// The quaternion may have any length but 0.
struct MemberAxes {
  std::array<double, 3> log_scales{};
  std::array<double, 4> rotation{1, 0, 0, 0};
};

/// A matrix by rows.
using Matrix3 = std::array<std::array<double, 3>, 3>;

/// R of a quaternion w, x, y, z of length 1 (Shoemake, SIGGRAPH 1985).
inline Matrix3 rotation_of(const std::array<double, 4>& unit) {
  const auto [w, x, y, z] = unit;
  return {{{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
           {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
           {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}}};
}

inline std::array<double, 4> unit_of(const std::array<double, 4>& quaternion, double& length) {
  length = 0;
  for (const double part : quaternion) length += part * part;
  length = std::sqrt(length);
  std::array<double, 4> unit = quaternion;
  for (double& part : unit) part /= length;
  return unit;
}

inline Symmetric3 covariance_of(const MemberAxes& axes) {
  double length = 0;
  const Matrix3 r = rotation_of(unit_of(axes.rotation, length));
  const auto entry = [&](std::size_t i, std::size_t j) {
    double sum = 0;
    for (std::size_t k = 0; k < 3; ++k) sum += r[i][k] * r[j][k] * std::exp(2 * axes.log_scales[k]);
    return sum;
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

/// Returns the derivatives by the axes, where `by` is that by the covariance
/// (MemberGradient::covariance). With C = R S R^T they are 2 s_i (R^T G R)_ii by the logarithm of
/// scale i, and the product of 2 G R S with the derivative of R by a part of the quaternion, of
/// which the part along the quaternion is 0.
inline MemberAxes gradient_by_axes(const MemberAxes& axes, const Symmetric3& by) {
  double length = 0;
  const std::array<double, 4> unit = unit_of(axes.rotation, length);
  const auto [w, x, y, z] = unit;
  const Matrix3 r = rotation_of(unit);
  Matrix3 turn{};  // 2 G R S
  MemberAxes gradient{{}, {0, 0, 0, 0}};
  for (std::size_t k = 0; k < 3; ++k) {
    const double square = std::exp(2 * axes.log_scales[k]);
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j)
        turn[i][k] += 2 * by(static_cast<int>(i), static_cast<int>(j)) * r[j][k] * square;
      gradient.log_scales[k] += r[i][k] * turn[i][k];
    }
  }
  const std::array<Matrix3, 4> slopes{{{{{0, -z, y}, {z, 0, -x}, {-y, x, 0}}},
                                       {{{0, y, z}, {y, -2 * x, -w}, {z, w, -2 * x}}},
                                       {{{-2 * y, x, w}, {x, 0, z}, {-w, z, -2 * y}}},
                                       {{{-2 * z, -w, x}, {w, -2 * z, y}, {x, y, 0}}}}};
  double along = 0;
  for (std::size_t part = 0; part < 4; ++part) {
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        gradient.rotation[part] += 2 * turn[i][k] * slopes[part][i][k];
    along += gradient.rotation[part] * unit[part];
  }
  for (std::size_t part = 0; part < 4; ++part)
    gradient.rotation[part] = (gradient.rotation[part] - along * unit[part]) / length;
  return gradient;
}

}  // namespace skde
