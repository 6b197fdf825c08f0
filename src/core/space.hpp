#pragma once

#include <array>

#include "core/host_device.hpp"

namespace skde {

/// A point or a direction in world units.
struct Vec3 {
  double x = 0, y = 0, z = 0;

  SKDE_HOST_DEVICE double operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  double& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }

  friend Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

/// An axis-aligned box in world units; lower and upper are corners.
struct Box {
  Vec3 lower, upper;

  Vec3 extent() const { return upper - lower; }
  Vec3 centre() const { return 0.5 * (lower + upper); }
  /// Its faces included.
  bool holds(Vec3 at) const {
    return at.x >= lower.x && at.x <= upper.x && at.y >= lower.y && at.y <= upper.y &&
           at.z >= lower.z && at.z <= upper.z;
  }
  friend bool operator==(const Box&, const Box&) = default;
};

inline constexpr std::array<char, 3> kAxisNames{'x', 'y', 'z'};

/// A symmetric 3x3 matrix: a covariance S or a bandwidth matrix H, in squared world units.
struct Symmetric3 {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

  static Symmetric3 diagonal(double x, double y, double z) { return {x, 0, 0, y, 0, z}; }

  double operator()(int row, int column) const;
  SKDE_HOST_DEVICE double trace() const { return xx + yy + zz; }

  friend SKDE_HOST_DEVICE Symmetric3 operator+(Symmetric3 a, Symmetric3 b) {
    return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
  }
  friend SKDE_HOST_DEVICE Symmetric3 operator*(double s, Symmetric3 a) {
    return {s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
  }
  friend bool operator==(const Symmetric3&, const Symmetric3&) = default;
};

/// Eigenvalues in ascending order and the unit eigenvectors that belong to them.
struct Eigen3 {
  std::array<double, 3> values;
  std::array<Vec3, 3> vectors;
};

/// Eigendecomposition by cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5).
Eigen3 eigen_decomposition(const Symmetric3& matrix);

/// True where every value is finite and all eigenvalues of the matrix scaled to unit diagonal are
/// above `tolerance`, so that axes in unlike units (degrees beside metres) are judged alike.
bool is_positive_definite(const Symmetric3& matrix, double tolerance = 1e-10);

}  // namespace skde
