#pragma once

#include "core/mixture/member.hpp"

namespace skde {

/// A step of Adam (Kingma and Ba, 2015): rates of the logarithm of the mass, of the mean in units
/// of the member's own deviations, and of its factor relative to itself.
struct AdamStep {
  double mass_rate = 0, mean_rate = 0, factor_rate = 0;
  double momentum = 0.9, spread = 0.99;  ///< what stays of the running means
  /// Reciprocals of 1 - momentum^t and 1 - spread^t at step t: the running means begin at 0.
  double momentum_scale = 1, spread_scale = 1;
};

/// Limits of a factor's diagonal, in cells.
inline constexpr double kLeastFactor = 1e-3;

/// The derivatives by the free numbers that AdamStep moves: the logarithm of the mass; the mean in
/// the frame of C's Cholesky factor; and E of L E, a lower triangular matrix near 1.
SKDE_HOST_DEVICE inline void local_gradient(const Member& m, const Symmetric3& kernel,
                                            const MemberMoments& moments,
                                            double (&to)[kMemberParameters]) {
  const Symmetric3 covariance = covariance_of(m, kernel);
  const double mass = std::exp(m.log_mass);
  const MemberGradient by = gradient_of(mass, covariance, moments);
  to[0] = mass * by.mass;
  const Triangle3 c = cholesky(covariance), l = factor_of(m);
  to[1] = c.xx * by.mean.x + c.yx * by.mean.y + c.zx * by.mean.z;
  to[2] = c.yy * by.mean.y + c.zy * by.mean.z;
  to[3] = c.zz * by.mean.z;
  // 2 L^T G L, its lower triangle.
  const Symmetric3& g = by.covariance;
  const Vec3 x{g.xx * l.xx + g.xy * l.yx + g.xz * l.zx, g.xy * l.xx + g.yy * l.yx + g.yz * l.zx,
               g.xz * l.xx + g.yz * l.yx + g.zz * l.zx};
  const Vec3 y{g.xy * l.yy + g.xz * l.zy, g.yy * l.yy + g.yz * l.zy, g.yz * l.yy + g.zz * l.zy};
  const Vec3 z{g.xz * l.zz, g.yz * l.zz, g.zz * l.zz};
  to[4] = 2 * (l.xx * x.x + l.yx * x.y + l.zx * x.z);
  to[5] = 2 * (l.yy * x.y + l.zy * x.z);
  to[6] = 2 * (l.yy * y.y + l.zy * y.z);
  to[7] = 2 * l.zz * x.z;
  to[8] = 2 * l.zz * y.z;
  to[9] = 2 * l.zz * z.z;
}

/// Moves the free numbers of a member by these amounts, in the order of local_gradient().
SKDE_HOST_DEVICE inline void move_parameters(Member& m, const Symmetric3& kernel,
                                             const double (&by)[kMemberParameters]) {
  const Vec3 shift = cholesky(covariance_of(m, kernel)).times({by[1], by[2], by[3]});
  m.log_mass += by[0];
  m.mean[0] += shift.x;
  m.mean[1] += shift.y;
  m.mean[2] += shift.z;
  const Triangle3 l = factor_of(m);
  const double exx = std::exp(by[4]), eyy = std::exp(by[6]), ezz = std::exp(by[9]);
  m.factor[0] = std::fmax(l.xx * exx, kLeastFactor);
  m.factor[1] = l.yx * exx + l.yy * by[5];
  m.factor[2] = std::fmax(l.yy * eyy, kLeastFactor);
  m.factor[3] = l.zx * exx + l.zy * by[5] + l.zz * by[7];
  m.factor[4] = l.zy * eyy + l.zz * by[8];
  m.factor[5] = std::fmax(l.zz * ezz, kLeastFactor);
}

/// Moves a member by one step of Adam against the gradient that the moments of dL/dm give.
SKDE_HOST_DEVICE inline void move_member(Member& m, const Symmetric3& kernel,
                                         const MemberMoments& moments, const AdamStep& step) {
  constexpr double kTiny = 1e-30;
  double by[kMemberParameters];
  local_gradient(m, kernel, moments, by);
  for (int i = 0; i < kMemberParameters; ++i) {
    m.momentum[i] = step.momentum * m.momentum[i] + (1 - step.momentum) * by[i];
    m.spread[i] = step.spread * m.spread[i] + (1 - step.spread) * by[i] * by[i];
    const double rate = i == 0 ? step.mass_rate : i < 4 ? step.mean_rate : step.factor_rate;
    by[i] = -rate * m.momentum[i] * step.momentum_scale /
            (std::sqrt(m.spread[i] * step.spread_scale) + kTiny);
  }
  move_parameters(m, kernel, by);
}

/// Moves a member to the mass, mean and covariance of what it is responsible for: a step of
/// expectation-maximisation (Dempster, Laird and Rubin, 1977). The moments are those of w_i /
/// m(x_i) at the samples. A member that is responsible for nothing keeps its place and loses its
/// mass.
SKDE_HOST_DEVICE inline void maximise_member(Member& m, const Symmetric3& kernel,
                                             const MemberMoments& moments, double total) {
  constexpr double kConstant = 0.063493635934240970, kLeastMass = 1e-300, kFar = 1e100;
  const double* const s = moments.of;
  const double height =
      std::exp(m.log_mass) * kConstant / cholesky(covariance_of(m, kernel)).determinant();
  const double mass = height * s[0] / total;
  m.log_mass = std::log(std::fmax(mass, kLeastMass));
  if (!(s[0] > 0)) return;
  const Vec3 shift{s[1] / s[0], s[2] / s[0], s[3] / s[0]};
  if (!(std::fabs(shift.x + shift.y + shift.z) < kFar)) return;  // nor does one without numbers
  for (int axis = 0; axis < 3; ++axis) m.mean[axis] += shift[axis];
  // A sample's own spread is the kernel's, which C adds. Least values keep L regular.
  constexpr double kLeast = kLeastFactor * kLeastFactor;
  const Symmetric3 spread{
      s[4] / s[0] - shift.x * shift.x + kLeast, s[5] / s[0] - shift.x * shift.y,
      s[6] / s[0] - shift.x * shift.z,          s[7] / s[0] - shift.y * shift.y + kLeast,
      s[8] / s[0] - shift.y * shift.z,          s[9] / s[0] - shift.z * shift.z + kLeast};
  const Triangle3 l = cholesky(spread);
  if (!(l.xx > 0 && l.yy > 0 && l.zz > 0)) return;
  set_factor(m, l);
}

/// What a pass over the values makes of them.
enum class CotangentRule {
  difference,   ///< c = m - f; the loss is the sum of (m - f)^2
  error_share,  ///< c = (m - f)^2 / m: each member's share of the squared error
  likelihood,   ///< c = w / m; the loss is the sum of -w log m
};

struct Cotangent {
  double value = 0, loss = 0;
};

/// `value` is m at a cell or sample; `given` is f there, or the sample's weight.
SKDE_HOST_DEVICE inline Cotangent cotangent_of(CotangentRule rule, double value, double given) {
  constexpr double kTiny = 1e-30;
  const double difference = value - given;
  if (rule == CotangentRule::difference) return {difference, difference * difference};
  if (rule == CotangentRule::error_share) {
    const double square = difference * difference;
    return {square / std::fmax(value, kTiny), square};
  }
  const double most = std::fmax(value, kTiny);
  return {given / most, -given * std::log(most)};
}

}  // namespace skde
