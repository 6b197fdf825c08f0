#pragma once

#include <cmath>

#include "core/kernel/ellipsoid.hpp"
#include "core/space/space.hpp"

/// The members of a mixture while they are fitted. Lengths are in cells of the grid.
namespace skde {

/// Free numbers of a member: the mass, the mean and the covariance.
inline constexpr int kMemberParameters = 10;

/// A member and the state of its optimiser. Its covariance is C = L L^T + B, where B, the same for
/// all members, is the kernel's.
struct Member {
  double log_mass = 0;
  double mean[3] = {};
  double factor[6] = {};                    ///< L, lower triangular: xx, yx, yy, zx, zy, zz
  double momentum[kMemberParameters] = {};  ///< running mean of the gradients
  double spread[kMemberParameters] = {};    ///< running mean of their squares
};

/// Sums over cells g, with cotangent c(g) and d = g - mean: c(g) k(q) times 1; d_x, d_y, d_z; and
/// the entries xx, xy, xz, yy, yz, zz of d d^T. k(q) = exp(-q / 2), q = d^T C^-1 d.
struct MemberMoments {
  double of[kMemberParameters] = {};
};

/// A lower triangular matrix.
struct Triangle3 {
  double xx, yx, yy, zx, zy, zz;

  SKDE_HOST_DEVICE Symmetric3 squared() const {
    return {xx * xx,           xx * yx,           xx * zx,
            yx * yx + yy * yy, yx * zx + yy * zy, zx * zx + zy * zy + zz * zz};
  }
  /// Returns the solution v of L v = b.
  SKDE_HOST_DEVICE Vec3 solved(const Vec3& b) const {
    Vec3 v;
    v.x = b.x / xx;
    v.y = (b.y - yx * v.x) / yy;
    v.z = (b.z - zx * v.x - zy * v.y) / zz;
    return v;
  }
  /// Returns the solution v of L^T v = b.
  SKDE_HOST_DEVICE Vec3 solved_transposed(const Vec3& b) const {
    Vec3 v;
    v.z = b.z / zz;
    v.y = (b.y - zy * v.z) / yy;
    v.x = (b.x - yx * v.y - zx * v.z) / xx;
    return v;
  }
  SKDE_HOST_DEVICE Vec3 times(const Vec3& v) const {
    return {xx * v.x, yx * v.x + yy * v.y, zx * v.x + zy * v.y + zz * v.z};
  }
  SKDE_HOST_DEVICE double determinant() const { return xx * yy * zz; }
};

/// The Cholesky factor of a positive definite matrix.
SKDE_HOST_DEVICE inline Triangle3 cholesky(const Symmetric3& m) {
  Triangle3 l{};
  l.xx = std::sqrt(m.xx);
  l.yx = m.xy / l.xx;
  l.zx = m.xz / l.xx;
  l.yy = std::sqrt(m.yy - l.yx * l.yx);
  l.zy = (m.yz - l.yx * l.zx) / l.yy;
  l.zz = std::sqrt(m.zz - l.zx * l.zx - l.zy * l.zy);
  return l;
}

SKDE_HOST_DEVICE inline Triangle3 factor_of(const Member& m) {
  return {m.factor[0], m.factor[1], m.factor[2], m.factor[3], m.factor[4], m.factor[5]};
}

SKDE_HOST_DEVICE inline void set_factor(Member& m, const Triangle3& l) {
  const double factor[6] = {l.xx, l.yx, l.yy, l.zx, l.zy, l.zz};
  for (int i = 0; i < 6; ++i) m.factor[i] = factor[i];
}

SKDE_HOST_DEVICE inline Symmetric3 covariance_of(const Member& m, const Symmetric3& kernel) {
  return factor_of(m).squared() + kernel;
}

/// The derivatives of a loss by a member's mass, mean and covariance. That by the covariance is
/// symmetric: the loss changes by the sum over all 9 entries of `covariance` times the change.
struct MemberGradient {
  double mass = 0;
  Vec3 mean;
  Symmetric3 covariance;
};

/// Returns the derivatives from the moments of dL/dm(g), as m(g) = mass (2 pi)^(-3/2) det(C)^(-1/2)
/// k(q): by the mean A P S1, by C (A / 2) (P S2 P - P S0), with A = m at the mean and P = C^-1
/// (Petersen and Pedersen, The Matrix Cookbook, 8.1.1).
SKDE_HOST_DEVICE inline MemberGradient gradient_of(double mass, const Symmetric3& covariance,
                                                   const MemberMoments& moments) {
  constexpr double kConstant = 0.063493635934240970;  // (2 pi)^(-3/2)
  const Triangle3 l = cholesky(covariance);
  const double peak = kConstant / l.determinant(), height = mass * peak;
  const double* const s = moments.of;
  const auto solve = [&l](const Vec3& b) { return l.solved_transposed(l.solved(b)); };
  MemberGradient gradient;
  gradient.mass = peak * s[0];
  const Vec3 by_mean = solve({s[1], s[2], s[3]});
  gradient.mean = {height * by_mean.x, height * by_mean.y, height * by_mean.z};
  // P S2 P, column by column: first P S2, then its transpose times P.
  const Vec3 a = solve({s[4], s[5], s[6]}), b = solve({s[5], s[7], s[8]}),
             c = solve({s[6], s[8], s[9]});
  const Vec3 x = solve({a.x, b.x, c.x}), y = solve({a.y, b.y, c.y}), z = solve({a.z, b.z, c.z});
  const Vec3 px = solve({1, 0, 0}), py = solve({0, 1, 0}), pz = solve({0, 0, 1});
  const double half = height / 2;
  gradient.covariance = {half * (x.x - s[0] * px.x), half * (y.x - s[0] * py.x),
                         half * (z.x - s[0] * pz.x), half * (y.y - s[0] * py.y),
                         half * (z.y - s[0] * pz.y), half * (z.z - s[0] * pz.z)};
  return gradient;
}

}  // namespace skde
