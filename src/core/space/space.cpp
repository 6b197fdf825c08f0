#include "core/space/space.hpp"

#include <algorithm>
#include <cmath>

namespace skde {
namespace {

using Matrix3 = std::array<std::array<double, 3>, 3>;

Matrix3 to_matrix(const Symmetric3& s) {
  return {{{s.xx, s.xy, s.xz}, {s.xy, s.yy, s.yz}, {s.xz, s.yz, s.zz}}};
}

/// One Jacobi rotation that zeroes a(p, q); `v` collects the rotations, eigenvectors in columns.
void rotate(Matrix3& a, Matrix3& v, int p, int q) {
  if (a[p][q] == 0) return;
  const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  const double t = std::copysign(1.0, theta) / (std::abs(theta) + std::hypot(theta, 1.0));
  const double c = 1 / std::hypot(t, 1.0), s = t * c;
  for (int k = 0; k < 3; ++k) {
    const double kp = a[k][p], kq = a[k][q];
    a[k][p] = c * kp - s * kq;
    a[k][q] = s * kp + c * kq;
  }
  for (int k = 0; k < 3; ++k) {
    const double pk = a[p][k], qk = a[q][k];
    a[p][k] = c * pk - s * qk;
    a[q][k] = s * pk + c * qk;
  }
  for (int k = 0; k < 3; ++k) {
    const double kp = v[k][p], kq = v[k][q];
    v[k][p] = c * kp - s * kq;
    v[k][q] = s * kp + c * kq;
  }
}

}  // namespace

double Symmetric3::operator()(int row, int column) const { return to_matrix(*this)[row][column]; }

Eigen3 eigen_decomposition(const Symmetric3& matrix) {
  Matrix3 a = to_matrix(matrix);
  Matrix3 v{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  constexpr int kSweeps = 32;  // 6 to 10 suffice for 3x3; zero rotations cost nothing
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    rotate(a, v, 0, 1);
    rotate(a, v, 0, 2);
    rotate(a, v, 1, 2);
  }
  std::array<int, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(), [&](int i, int j) { return a[i][i] < a[j][j]; });
  Eigen3 result;
  for (int i = 0; i < 3; ++i) {
    const int k = order[i];
    result.values[i] = a[k][k];
    result.vectors[i] = {v[0][k], v[1][k], v[2][k]};
  }
  return result;
}

bool is_positive_definite(const Symmetric3& m, double tolerance) {
  for (double value : {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz})
    if (!std::isfinite(value)) return false;
  if (!(m.xx > 0 && m.yy > 0 && m.zz > 0)) return false;
  const double x = 1 / std::sqrt(m.xx), y = 1 / std::sqrt(m.yy), z = 1 / std::sqrt(m.zz);
  const Symmetric3 unit{1, m.xy * x * y, m.xz * x * z, 1, m.yz * y * z, 1};
  // Most matrices are far from singular, which the determinant shows: the least eigenvalue is at
  // least 4/9 of it, because the other two have a sum of at most 3.
  const double minor = 1 - unit.xy * unit.xy,
               determinant =
                   minor - unit.xz * unit.xz - unit.yz * unit.yz + 2 * unit.xy * unit.xz * unit.yz;
  if (constexpr double kClear = 1e-3;
      minor > kClear && determinant > kClear && tolerance < kClear / 9)
    return true;
  return eigen_decomposition(unit).values[0] > tolerance;
}

}  // namespace skde
