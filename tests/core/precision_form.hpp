#pragma once

#include <array>
#include <cmath>
#include <optional>

#include "core/space/space.hpp"

namespace skde::test {

/// A range of offsets from a sample, in cells.
struct Interval {
  long double low, high;
};

/// The quadratic form q = d^T P d, with P = H^-1 by cofactors in long double and d in cells of the
/// given spacing. Extents of q <= level follow by minimising the form over the axes that are not
/// asked for.
class PrecisionForm {
 public:
  PrecisionForm(const Symmetric3& H, Vec3 spacing) {
    const long double a[3][3] = {{H.xx, H.xy, H.xz}, {H.xy, H.yy, H.yz}, {H.xz, H.yz, H.zz}};
    long double det = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) {
        const int r = (i + 1) % 3, s = (i + 2) % 3, u = (j + 1) % 3, v = (j + 2) % 3;
        p_[j][i] = a[r][u] * a[s][v] - a[r][v] * a[s][u];
      }
    for (int j = 0; j < 3; ++j) det += a[0][j] * p_[j][0];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) p_[i][j] *= (long double)(spacing[i]) * spacing[j] / det;
  }

  long double q(long double dx, long double dy, long double dz) const {
    const long double d[3] = {dx, dy, dz};
    long double sum = 0;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j) sum += d[i] * p_[i][j] * d[j];
    return sum;
  }

  /// Returns the heights dz that the ellipsoid covers.
  Interval heights(long double level) const {
    const long double xy = p_[0][0] * p_[1][1] - p_[0][1] * p_[0][1];
    const long double left =
        p_[2][2] - (p_[0][2] * p_[0][2] * p_[1][1] - 2 * p_[0][2] * p_[1][2] * p_[0][1] +
                    p_[1][2] * p_[1][2] * p_[0][0]) /
                       xy;
    const long double half = std::sqrt(level / left);
    return {-half, half};
  }

  /// Returns the extent along `axis` (0 or 1) of the ellipse in the slice dz, or nullopt if it is
  /// empty.
  std::optional<Interval> slice(int axis, long double dz, long double level) const {
    const int o = 1 - axis;  // the axis to minimise over
    const long double square = p_[axis][axis] - p_[axis][o] * p_[axis][o] / p_[o][o];
    const long double mixed = (p_[axis][2] - p_[axis][o] * p_[o][2] / p_[o][o]) * dz;
    const long double rest = (p_[2][2] - p_[o][2] * p_[o][2] / p_[o][o]) * dz * dz;
    return below(square, mixed, rest - level);
  }

  /// Returns where the row (dy, dz) crosses the ellipsoid, or nullopt if it does not.
  std::optional<Interval> row(long double dy, long double dz, long double level) const {
    return below(p_[0][0], p_[0][1] * dy + p_[0][2] * dz, q(0, dy, dz) - level);
  }

 private:
  /// Solves square t^2 + 2 mixed t + rest <= 0.
  static std::optional<Interval> below(long double square, long double mixed, long double rest) {
    const long double inside = mixed * mixed - square * rest;
    if (inside < 0) return std::nullopt;
    const long double root = std::sqrt(inside);
    return Interval{(-mixed - root) / square, (-mixed + root) / square};
  }

  std::array<std::array<long double, 3>, 3> p_{};
};

}  // namespace skde::test
