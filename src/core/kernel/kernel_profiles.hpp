#pragma once

#include <cmath>
#include <numbers>
#include <string_view>
#include <tuple>

#include "core/kernel/exponential.hpp"
#include "core/kernel/power_profiles.hpp"
#include "core/kernel/radial_profiles.hpp"
#include "core/space/space.hpp"

namespace skde {

/// The rows of the table of kernels: k(q) = kConstant * at(q) with q = u^T H^-1 u. To add a kernel,
/// write its row and name it in KernelProfiles; engines that evaluate profiles then support it.
/// Engines with a faster method for some kernels ask for kDegree, never for the name.
///
/// Every row has these members, which kernel_function.cpp checks: kName; kDegree, the p of an at(q)
/// of (1 - q)^p, or kNoDegree; kConstant, which makes the integral over space 1; kSupport, the
/// sqrt(q) from which on at(q) is 0, or kUnbounded; kShown, the sqrt(q) up to which default boxes
/// keep it; kSteep, true if the slope by q is unbounded at 0, so that q must not be a difference of
/// squares; at(q); tail(), the integral of k beyond a sqrt(q); roughness(), the integral of k^2,
/// and variance(), the integral of x^2 k, from which the bandwidth rules follow; Slope, the row
/// whose at(q) times kSlope is the derivative of this row's by q, or void if there is none; draw(),
/// which draws a place with the density k(|x|^2), exactly: without a cut or a table.
///
/// The next members are optional; what needs one refuses rows without it. transform(w2) is the
/// Fourier transform of k at the squared angular frequency w2 = w^T H w, in units of H.
/// convolution(q) is the convolution of k with itself; it is 0 from sqrt(q) = kConvolutionSupport
/// on. Unbounded rows have log(q), the logarithm of at(q), and root_of_fall(fall), the sqrt(q) at
/// which it is -fall.
///
/// An object of the row is the profile that engines evaluate, cut at sqrt(q) = `cut`: value(s) is
/// at(cut^2 s) for s < 1 and 0 beyond. It has no branch, so that rows vectorise, and if possible no
/// jump at s = 1. If it has a `rate`, it is exp(-rate s).

/// exp(-q / 2): H is its covariance.
struct GaussianProfile {
  static constexpr std::string_view kName = "gaussian";
  static constexpr int kDegree = kNoDegree;
  static constexpr double kSupport = kUnbounded;
  static constexpr double kConstant = 0.063493635934240970;  // (2 pi)^(-3/2)
  static constexpr double kShown = 4;                        // a thousandth lies beyond
  static constexpr bool kSteep = false;

  GaussianProfile() = default;
  explicit GaussianProfile(double cut) : rate(cut * cut / 2) {}

  template <class Real>
  SKDE_HOST_DEVICE Real value(Real s) const {
    return s < Real(1) ? exp_of_negative(-Real(rate) * s) : Real(0);
  }
  static double at(double q) { return std::exp(-q / 2); }
  static double log(double q) { return -q / 2; }
  static double root_of_fall(double fall) { return std::sqrt(2 * fall); }
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

/// All rows, the default one first.
using KernelProfiles =
    std::tuple<EpanechnikovProfile, UniformProfile, BiweightProfile, TriweightProfile,
               GaussianProfile, ExponentialProfile, LinearProfile, CosineProfile,
               CubicSplineProfile, WendlandC2Profile>;

/// True for rows with the optional transform(), and for those that integer sums know.
template <class Profile>
inline constexpr bool kHasTransform = requires(double w2) {
  Profile::transform(w2);
};
template <class Profile>
inline constexpr bool kHasIntegers = Profile::kDegree != kNoDegree ||
                                     requires(const Profile& profile) {
  profile.rate;
};

}  // namespace skde
