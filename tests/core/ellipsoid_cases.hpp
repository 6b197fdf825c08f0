#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <ostream>
#include <random>

#include "core/space/space.hpp"

namespace skde::test {

/// A bandwidth matrix none of whose principal axes is an axis of the grid.
inline constexpr Symmetric3 kTilted{4, 1, 0.5, 3, -0.25, 2};

/// A random bandwidth matrix, grid and sample.
struct EllipsoidCase {
  Symmetric3 H;  // world units
  Vec3 lower, spacing;
  std::array<std::int32_t, 3> dims;
  Vec3 centre;  // of the sample, in cells

  friend std::ostream& operator<<(std::ostream& out, const EllipsoidCase& c) {
    out.precision(17);
    return out << "H (xx xy xz yy yz zz) " << c.H.xx << ' ' << c.H.xy << ' ' << c.H.xz << ' '
               << c.H.yy << ' ' << c.H.yz << ' ' << c.H.zz << "; spacing " << c.spacing.x << ' '
               << c.spacing.y << ' ' << c.spacing.z << "; dims " << c.dims[0] << ' ' << c.dims[1]
               << ' ' << c.dims[2] << "; centre " << c.centre.x << ' ' << c.centre.y << ' '
               << c.centre.z;
  }
};

class EllipsoidCases {
 public:
  explicit EllipsoidCases(std::uint64_t seed) : random_(seed) {}

  /// Draws in turn round, flat, needle-like, arbitrary and sub-cell kernels, every third along the
  /// axes. Samples lie in the grid, on cell centres, on faces, around the grid and far outside.
  EllipsoidCase next() {
    EllipsoidCase c{};
    for (int axis = 0; axis < 3; ++axis) {
      c.spacing[axis] = uniform(0.2, 3);
      c.lower[axis] = uniform(-50, 50);
      c.dims[static_cast<std::size_t>(axis)] = static_cast<std::int32_t>(uniform(1, 26));
      c.centre[axis] = coordinate(c.dims[static_cast<std::size_t>(axis)]);
    }
    const Vec3 radii = radii_in_cells();
    const bool rotated = count_ % 3 != 0;
    const std::array<Vec3, 3> axes =
        rotated ? rotation() : std::array<Vec3, 3>{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
    for (int k = 0; k < 3; ++k) {
      const Vec3 u = axes[static_cast<std::size_t>(k)];
      const Vec3 a{u.x * c.spacing.x, u.y * c.spacing.y, u.z * c.spacing.z};
      c.H = c.H + (radii[k] * radii[k]) *
                      Symmetric3{a.x * a.x, a.x * a.y, a.x * a.z, a.y * a.y, a.y * a.z, a.z * a.z};
    }
    ++count_;
    return c;
  }

 private:
  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }

  Vec3 radii_in_cells() {
    const double r = std::exp(uniform(std::log(0.4), std::log(9)));
    switch (count_ % 5) {
      case 0:
        return {r, r, r};
      case 1:
        return {2 * r, 2 * r, r / 12};
      case 2:
        return {r / 8, 3 * r, r / 8};
      case 3:
        return {uniform(0.05, 0.7), uniform(0.05, 0.7), uniform(0.05, 0.7)};
      default:
        return {r, uniform(0.3, 6), uniform(0.3, 6)};
    }
  }

  double coordinate(std::int32_t cells) {
    switch (random_() % 8) {
      case 0:
        return std::floor(uniform(-2, cells + 1));
      case 1:
        return std::floor(uniform(-2, cells + 1)) + 0.5;
      case 2:
        return uniform(-8, 0);
      case 3:
        return random_() % 8 == 0 ? uniform(-1e6, 1e6) : uniform(cells - 1, cells + 8);
      default:
        return uniform(-0.5, cells - 0.5);
    }
  }

  /// The rows of a rotation matrix, from a random unit quaternion.
  std::array<Vec3, 3> rotation() {
    std::normal_distribution<double> normal;
    double w = normal(random_), x = normal(random_), y = normal(random_), z = normal(random_);
    const double norm = std::sqrt(w * w + x * x + y * y + z * z);
    w /= norm, x /= norm, y /= norm, z /= norm;
    return {Vec3{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
            Vec3{2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
            Vec3{2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
  }

  std::mt19937_64 random_;
  int count_ = 0;
};

}  // namespace skde::test
