#pragma once

#include <array>

/// Marks a function that the CPU engines, the CUDA kernels and the tests all call.
#if defined(__CUDACC__)
#define SKDE_HOST_DEVICE __host__ __device__
#else
#define SKDE_HOST_DEVICE
#endif

namespace skde {

/// A point or a direction in world units.
struct Vec3 {
  double x = 0;  ///< the coordinate along axis 0
  double y = 0;  ///< along axis 1
  double z = 0;  ///< along axis 2

  /// The coordinate along axis 0, 1 or 2.
  SKDE_HOST_DEVICE double operator[](int axis) const { return axis == 0 ? x : axis == 1 ? y : z; }
  /// Writable coordinate along axis 0, 1 or 2.
  double& operator[](int axis) { return axis == 0 ? x : axis == 1 ? y : z; }

  /// The sum.
  friend Vec3 operator+(Vec3 a, Vec3 b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  /// The difference.
  friend Vec3 operator-(Vec3 a, Vec3 b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  /// s times a.
  friend Vec3 operator*(double s, Vec3 a) { return {s * a.x, s * a.y, s * a.z}; }
  /// True if all members are equal.
  friend bool operator==(const Vec3&, const Vec3&) = default;
};

/// An axis-aligned box in world units; lower and upper are corners.
struct Box {
  Vec3 lower;  ///< the corner with the least coordinates
  Vec3 upper;  ///< the corner opposite to it

  /// Its edge lengths.
  Vec3 extent() const { return upper - lower; }
  /// The point midway between its corners.
  Vec3 centre() const { return 0.5 * (lower + upper); }
  /// True if the point is inside or on a face.
  bool holds(Vec3 at) const {
    return at.x >= lower.x && at.x <= upper.x && at.y >= lower.y && at.y <= upper.y &&
           at.z >= lower.z && at.z <= upper.z;
  }
  /// True if all members are equal.
  friend bool operator==(const Box&, const Box&) = default;
};

/// The names of axes 0, 1 and 2.
inline constexpr std::array<char, 3> kAxisNames{'x', 'y', 'z'};

/// A symmetric 3x3 matrix: a covariance S or a bandwidth matrix H, in squared world units.
struct Symmetric3 {
  double xx = 0;  ///< row x, column x
  double xy = 0;  ///< row x, column y, and row y, column x
  double xz = 0;  ///< row x, column z, and row z, column x
  double yy = 0;  ///< row y, column y
  double yz = 0;  ///< row y, column z, and row z, column y
  double zz = 0;  ///< row z, column z

  /// The matrix with this diagonal and zeros elsewhere.
  static Symmetric3 diagonal(double x, double y, double z) { return {x, 0, 0, y, 0, z}; }

  /// The entry in row and column 0, 1 or 2.
  double operator()(int row, int column) const;
  /// The sum of the diagonal.
  SKDE_HOST_DEVICE double trace() const { return xx + yy + zz; }

  /// The sum.
  friend SKDE_HOST_DEVICE Symmetric3 operator+(Symmetric3 a, Symmetric3 b) {
    return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
  }
  /// s times a.
  friend SKDE_HOST_DEVICE Symmetric3 operator*(double s, Symmetric3 a) {
    return {s * a.xx, s * a.xy, s * a.xz, s * a.yy, s * a.yz, s * a.zz};
  }
  /// True if all members are equal.
  friend bool operator==(const Symmetric3&, const Symmetric3&) = default;
};

/// Eigenvalues in ascending order, and the matching unit eigenvectors.
struct Eigen3 {
  std::array<double, 3> values;  ///< in ascending order
  std::array<Vec3, 3> vectors;   ///< of length 1, one for each value
};

/// Eigendecomposition by cyclic Jacobi rotations (Golub and Van Loan, Matrix Computations, 8.5).
Eigen3 eigen_decomposition(const Symmetric3& matrix);

/// True if every value is finite and all eigenvalues of the matrix, scaled to unit diagonal, are
/// above `tolerance`. The scaling treats axes in unlike units (degrees and metres) alike.
bool is_positive_definite(const Symmetric3& matrix, double tolerance = 1e-10);

}  // namespace skde
