#pragma once

#include <algorithm>
#include <vector>

#include "core/space/space.hpp"

namespace skde::test {

/// A kernel given by its axes, from which its values follow to all digits. The entries of H = sum
/// r_k^2 a_k a_k^T are rounded, and their differences cancel.
struct ThinKernel {
  Vec3 radii;

  /// Orthonormal directions, none of them near an axis of the grid.
  static long double direction(int k, int axis) {
    constexpr long double kRows[3][3] = {{-11, -2, 10}, {10, -5, 10}, {2, 14, 5}};
    return kRows[k][axis] / 15;
  }

  double ratio() const {
    return std::max({radii.x, radii.y, radii.z}) / std::min({radii.x, radii.y, radii.z});
  }

  Symmetric3 H() const {
    const auto entry = [&](int i, int j) {
      long double sum = 0;
      for (int k = 0; k < 3; ++k)
        sum += static_cast<long double>(radii[k]) * radii[k] * direction(k, i) * direction(k, j);
      return static_cast<double>(sum);
    };
    return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
  }

  /// Returns the place at these multiples of the radii along each axis from the centre.
  Vec3 place(Vec3 along) const {
    Vec3 at;
    for (int i = 0; i < 3; ++i) {
      long double sum = 0;
      for (int k = 0; k < 3; ++k)
        sum += static_cast<long double>(along[k]) * radii[k] * direction(k, i);
      at[i] = static_cast<double>(sum);
    }
    return at;
  }

  long double q(Vec3 from, Vec3 to) const {
    long double sum = 0;
    for (int k = 0; k < 3; ++k) {
      long double along = 0;
      for (int i = 0; i < 3; ++i)
        along += (static_cast<long double>(to[i]) - from[i]) * direction(k, i);
      sum += along / radii[k] * (along / radii[k]);
    }
    return sum;
  }
};

/// Returns needles and plates with this shortest axis, whose longest axis is `ratio` times as long.
inline std::vector<ThinKernel> thin_kernels(double shortest, double ratio) {
  const double r = shortest, longest = ratio * shortest;
  return {{{longest, r, r}},
          {{r, r, longest}},
          {{longest, longest, r}},
          {{r, longest, longest}},
          {{r, std::min(10 * r, longest), longest}}};
}

inline constexpr double kThinRatios[] = {1e2, 1e3, 1e4, 1e5};

}  // namespace skde::test
