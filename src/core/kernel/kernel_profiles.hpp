#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>
#include <tuple>

#include "core/kernel/exponential.hpp"
#include "core/kernel/kernel_transform.hpp"
#include "core/kernel/self_convolution.hpp"
#include "core/space.hpp"

namespace skde {

/// The rows of the table of kernels: k(q) = kConstant * at(q) with q = u^T H^-1 u. To add a kernel,
/// write its row and name it in KernelProfiles; engines that evaluate profiles then support it.
/// Engines with a faster method for some kernels ask for kDegree, never for the name.
///
/// Every row has these members, which kernel_function.cpp checks:
///   kName, kConstant           the latter makes the integral over space 1
///   kDegree                    p if at(q) is (1 - q)^p, else kNoDegree
///   kSupport                   the sqrt(q) from which on the kernel is 0, or kUnbounded
///   at(q), tail(), cut_error() as in KernelRow
///   roughness(), variance()    the integrals of k^2 and of x^2 k, for the bandwidth rules
///   transform(w2)              Fourier transform at squared angular frequency w2 = w^T H w
///   convolution(q)             of k with itself; 0 from sqrt(q) = kConvolutionSupport on
///   Convolved                  evaluates both kernels for pairs of samples; loops vectorise
///   Slope, kSlope              the derivative by q is kSlope times the row Slope; void if none
///   draw()                     a point of density k(|x|^2), exactly: no cut, no table
///
/// An object of the row is the profile that engines evaluate, cut at sqrt(q) = `cut`: value(s) is
/// at(cut^2 s) for s < 1 and 0 beyond. It is branch-free so that rows vectorise, and has no jump at
/// s = 1 wherever that is possible.

inline constexpr int kNoDegree = -1;
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// (1 - q)^P and its convolution with itself, without the kernel's constant, where q is cut^2 s.
template <int P>
struct PowerConvolved;

/// (1 - q)^P. 1 / kConstant = 2 pi B(3/2, P + 1).
template <int P>
struct PowerProfile {
  static constexpr int kDegree = P;
  static constexpr double kSupport = 1;

  PowerProfile() = default;
  explicit PowerProfile(double /*cut*/) {}

  template <class Real>
  SKDE_HOST_DEVICE Real value(Real s) const {
    return power(Real(1) - s);
  }
  /// The value as a function of `room` = 1 - s.
  template <class Real>
  SKDE_HOST_DEVICE Real of_room(Real room) const {
    return power(room);
  }
  static double at(double q) { return power(1 - q); }
  template <class Real>
  static SKDE_HOST_DEVICE Real transform(Real w2) {
    return ball_transform<P>(w2);
  }
  static constexpr double kConvolutionSupport = 2;
  static double convolution(double q) { return BallConvolution<P>::at(std::sqrt(q)); }
  using Convolved = PowerConvolved<P>;
  static constexpr double kSlope = -P;
  /// Returns the first three coordinates of a uniform point on the sphere of 2P + 5 dimensions.
  /// Their squared length has the Beta(3/2, P + 1) distribution of q.
  template <class Draws>
  static Vec3 draw(Draws& draws) {
    Vec3 place;
    double squares = 0;
    for (int axis = 0; axis < 2 * P + 5; ++axis) {
      const double along = draws.normal();
      squares += along * along;
      if (axis < 3) place[axis] = along;
    }
    return (1 / std::sqrt(squares)) * place;
  }
  static double tail(double /*radius*/) { return 0; }
  static double cut_error(double /*radius*/) { return 0; }
  static double roughness(double constant) {
    return constant * constant * 2 * std::numbers::pi * beta(1.5, 2 * P + 1);
  }
  static double variance(double constant) {
    return constant * (2 * std::numbers::pi / 3) * beta(2.5, P + 1);
  }

 private:
  static_assert(P >= 0 && P <= 3);
  template <class Real>
  static SKDE_HOST_DEVICE Real power(Real t) {
    if constexpr (P == 0) return t > Real(0) ? Real(1) : Real(0);
    const Real s = t > Real(0) ? t : Real(0);
    if constexpr (P == 1) return s;
    if constexpr (P == 2) return s * s;
    return s * s * s;
  }
  static double beta(double a, double b) {
    return std::tgamma(a) * std::tgamma(b) / std::tgamma(a + b);
  }
};

template <int P>
struct PowerConvolved {
  explicit PowerConvolved(double cut) : squared(cut * cut) {}
  double value(double s) const { return PowerProfile<P>().value(squared * s); }
  double convolution(double s) const { return BallConvolution<P>::at(std::sqrt(squared * s)); }
  double squared;
};

struct UniformProfile;
struct EpanechnikovProfile : PowerProfile<1> {
  using PowerProfile::PowerProfile;
  using Slope = UniformProfile;
  static constexpr std::string_view kName = "epanechnikov";
  static constexpr double kConstant = 15 / (8 * std::numbers::pi);
};
struct UniformProfile : PowerProfile<0> {
  using PowerProfile::PowerProfile;
  using Slope = void;
  static constexpr std::string_view kName = "uniform";
  static constexpr double kConstant = 3 / (4 * std::numbers::pi);
};
struct BiweightProfile : PowerProfile<2> {
  using PowerProfile::PowerProfile;
  using Slope = EpanechnikovProfile;
  static constexpr std::string_view kName = "biweight";
  static constexpr double kConstant = 105 / (32 * std::numbers::pi);
};
struct TriweightProfile : PowerProfile<3> {
  using PowerProfile::PowerProfile;
  using Slope = BiweightProfile;
  static constexpr std::string_view kName = "triweight";
  static constexpr double kConstant = 315 / (64 * std::numbers::pi);
};

/// Up to constants, the convolution of exp(-q / 2) with itself is its square root: a Gaussian of
/// twice the variance.
struct GaussianConvolved {
  explicit GaussianConvolved(double cut) : rate(cut * cut / 4) {}
  double value(double s) const {
    const double root = convolution(s);
    return root * root;
  }
  double convolution(double s) const { return exp_of_negative(-rate * s); }
  double rate;
};

/// exp(-q / 2): H is its covariance.
struct GaussianProfile {
  static constexpr std::string_view kName = "gaussian";
  static constexpr int kDegree = kNoDegree;
  static constexpr double kSupport = kUnbounded;
  static constexpr double kConstant = 0.063493635934240970;  // (2 pi)^(-3/2)

  GaussianProfile() = default;
  explicit GaussianProfile(double cut) : rate(cut * cut / 2) {}

  template <class Real>
  SKDE_HOST_DEVICE Real value(Real s) const {
    return s < Real(1) ? exp_of_negative(-Real(rate) * s) : Real(0);
  }
  static double at(double q) { return std::exp(-q / 2); }
  template <class Real>
  static SKDE_HOST_DEVICE Real transform(Real w2) {
    return exp_of_negative(-w2 / 2);
  }
  static constexpr double kConvolutionSupport = kUnbounded;
  /// A Gaussian of twice the covariance.
  static double convolution(double q) {
    constexpr double kHeight = kConstant / (2 * std::numbers::sqrt2);
    return kHeight * exp_of_negative(-q / 4);
  }
  using Convolved = GaussianConvolved;
  using Slope = GaussianProfile;
  static constexpr double kSlope = -0.5;
  template <class Draws>
  static Vec3 draw(Draws& draws) {
    Vec3 place;
    for (int axis = 0; axis < 3; ++axis) place[axis] = draws.normal();
    return place;
  }
  /// The tail of the chi distribution with three degrees of freedom.
  static double tail(double radius) {
    return std::erfc(radius / std::numbers::sqrt2) +
           std::sqrt(2 / std::numbers::pi) * radius * std::exp(-radius * radius / 2);
  }
  /// Let a measure over space give every kernel centred beyond radius c at least that kernel's
  /// value at the origin. The measure's mass times the peak then bounds the sum of those values. A
  /// sphere of radius r does so with the mass r c / sinh(r c) exp(r^2 / 2). Up to 1 / c^4, the
  /// least mass is at r = c - 1 / c and is (2 c^2 - 1) exp(-c^2 / 2). Samples all over a sphere of
  /// radius c attain it.
  static double cut_error(double radius) {
    if (radius < 2) return 1;
    const double r = radius - 1 / radius, rc = r * radius;
    return 2 * rc * std::exp(r * r / 2 - rc) / -std::expm1(-2 * rc);
  }

  static double roughness(double /*constant*/) {
    return std::pow(2 * std::sqrt(std::numbers::pi), -3);
  }
  static double variance(double /*constant*/) { return 1; }

  double rate = 0;
};

/// All rows, starting with the default one.
using KernelProfiles = std::tuple<EpanechnikovProfile, UniformProfile, BiweightProfile,
                                  TriweightProfile, GaussianProfile>;

}  // namespace skde
