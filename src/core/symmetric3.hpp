#pragma once

#include <array>

#include "core/host_device.hpp"
#include "core/vec3.hpp"

namespace skde {

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
