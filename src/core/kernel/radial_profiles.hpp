#pragma once

#include <cmath>
#include <numbers>
#include <string_view>

#include "core/kernel/exponential.hpp"
#include "core/kernel/power_profiles.hpp"
#include "core/space/space.hpp"

/// Kernels that are neither Gaussian nor a power of 1 - q, of scikit-learn and of particle
/// simulations: profiles of the distance r = sqrt(q). They have no transform, self-convolution or
/// slope; what needs these refuses them.
namespace skde {

/// Members shared by the rows that end at q = 1 and are not a power of 1 - q.
struct BoundedRadialProfile {
  using Slope = void;
  static constexpr double kSlope = 0;
  static constexpr int kDegree = kNoDegree;
  static constexpr double kSupport = 1, kShown = 1;
  static double tail(double /*radius*/) { return 0; }
  static double cut_error(double /*radius*/) { return 0; }
};

/// Returns a place at this distance, in a direction that is uniform on the sphere.
template <class Draws>
Vec3 draw_along_any(Draws& draws, double distance) {
  Vec3 place;
  double squares = 0;
  for (int axis = 0; axis < 3; ++axis) {
    place[axis] = draws.normal();
    squares += place[axis] * place[axis];
  }
  return (distance / std::sqrt(squares)) * place;
}

/// Returns the sum of the squares of `freedoms` normal numbers.
template <class Draws>
double draw_chi_squared(Draws& draws, int freedoms) {
  double squares = 0;
  for (int i = 0; i < freedoms; ++i) {
    const double along = draws.normal();
    squares += along * along;
  }
  return squares;
}

/// Draws r with the law Beta(a / 2, b / 2), as A / (A + B) has for chi-squared A and B.
template <class Draws>
double draw_beta(Draws& draws, int a, int b) {
  const double within = draw_chi_squared(draws, a);
  return within / (within + draw_chi_squared(draws, b));
}

/// 1 - r: a cone.
struct LinearProfile : BoundedRadialProfile {
  static constexpr std::string_view kName = "linear";
  static constexpr double kConstant = 3 / std::numbers::pi;
  static constexpr bool kSteep = true;

  LinearProfile() = default;
  explicit LinearProfile(double /*cut*/) {}

  template <class Real>
  SKDE_HOST_DEVICE Real value(Real s) const {
    return Real(1) - std::sqrt(s < Real(1) ? s : Real(1));
  }
  static double at(double q) { return LinearProfile().value(q); }
  static double roughness(double /*constant*/) { return 6 / (5 * std::numbers::pi); }
  static double variance(double /*constant*/) { return 2.0 / 15; }
  template <class Draws>
  static Vec3 draw(Draws& draws) {
    return draw_along_any(draws, draw_beta(draws, 6, 4));
  }
};

/// The coefficient of q^j in P, where cos(pi / 2 sqrt(q)) = (1 - q) P(q). It is minus the sum of
/// the cosine's coefficients beyond j, because all of them sum to 0.
constexpr double cosine_coefficient(int j) {
  constexpr double kSquare = std::numbers::pi * std::numbers::pi / 4;
  double term = 1, sum = 0;
  for (int i = 1; i <= 24; ++i) {
    term *= -kSquare / ((2 * i - 1) * (2 * i));
    if (i > j) sum -= term;
  }
  return sum;
}

/// Returns the terms of P from q^J to q^N, divided by q^J.
template <int J, int N, class Real>
SKDE_HOST_DEVICE inline Real cosine_series(Real q) {
  constexpr Real kCoefficient = Real(cosine_coefficient(J));
  if constexpr (J == N)
    return kCoefficient;
  else
    return kCoefficient + q * cosine_series<J + 1, N>(q);
}

/// cos(pi r / 2).
struct CosineProfile : BoundedRadialProfile {
  static constexpr std::string_view kName = "cosine";
  static constexpr double kConstant =
      std::numbers::pi * std::numbers::pi / (8 * (std::numbers::pi * std::numbers::pi - 8));
  static constexpr bool kSteep = false;

  CosineProfile() = default;
  explicit CosineProfile(double /*cut*/) {}

  template <class Real>
  SKDE_HOST_DEVICE Real value(Real s) const {
    const Real q = s < Real(1) ? s : Real(1);
    return (Real(1) - q) * room_factor(q);
  }
  static double at(double q) { return CosineProfile().value(q); }
  static double roughness(double constant) {
    constexpr double kPi = std::numbers::pi;
    return constant * constant * 2 * kPi * (1.0 / 3 - 2 / (kPi * kPi));
  }
  static double variance(double constant) {
    constexpr double a = std::numbers::pi / 2, a2 = a * a;
    return constant * (4 * std::numbers::pi / 3) * (1 - 12 / a2 + 24 / (a2 * a2)) / a;
  }
  /// Draws from 1 - q (Epanechnikov) and keeps a place with probability P(q), at least pi / 4.
  template <class Draws>
  static Vec3 draw(Draws& draws) {
    for (;;) {
      const Vec3 place = EpanechnikovProfile::draw(draws);
      const double q = place.x * place.x + place.y * place.y + place.z * place.z;
      if (draws.uniform() < room_factor(q)) return place;
    }
  }

 private:
  /// Returns P(q); the terms left out are less than the last place of 1.
  template <class Real>
  static SKDE_HOST_DEVICE Real room_factor(Real q) {
    return cosine_series < 0, sizeof(Real) == sizeof(float) ? 6 : 10 > (q);
  }
};

/// 1 - 6 r^2 + 6 r^3 up to r = 1/2, 2 (1 - r)^3 beyond: the cubic spline M4 with the radius of its
/// support as the unit (Monaghan and Lattanzio 1985; constants as in Dehnen and Aly 2012, table 1).
struct CubicSplineProfile : BoundedRadialProfile {
  static constexpr std::string_view kName = "cubic-spline";
  static constexpr double kConstant = 8 / std::numbers::pi;
  static constexpr bool kSteep = false;

  CubicSplineProfile() = default;
  explicit CubicSplineProfile(double /*cut*/) {}

  template <class Real>
  SKDE_HOST_DEVICE Real value(Real s) const {
    const Real r = std::sqrt(s < Real(1) ? s : Real(1));
    const Real outer = Real(1) - r, inner = r < Real(0.5) ? Real(1) - Real(2) * r : Real(0);
    return Real(2) * outer * outer * outer - inner * inner * inner;
  }
  static double at(double q) { return CubicSplineProfile().value(q); }
  static double roughness(double /*constant*/) { return 982 / (315 * std::numbers::pi); }
  static double variance(double /*constant*/) { return 3.0 / 40; }
  /// Draws from (1 - r)^3 and keeps a place with probability 1 - (inner / outer)^3 / 2.
  template <class Draws>
  static Vec3 draw(Draws& draws) {
    for (;;) {
      const double r = draw_beta(draws, 6, 8), outer = 1 - r;
      if (2 * outer * outer * outer * draws.uniform() < at(r * r)) return draw_along_any(draws, r);
    }
  }
};

/// (1 - r)^4 (1 + 4 r): Wendland's C2 (Wendland 1995; constants as in Dehnen and Aly 2012, table
/// 1).
struct WendlandC2Profile : BoundedRadialProfile {
  static constexpr std::string_view kName = "wendland-c2";
  static constexpr double kConstant = 21 / (2 * std::numbers::pi);
  static constexpr bool kSteep = false;

  WendlandC2Profile() = default;
  explicit WendlandC2Profile(double /*cut*/) {}

  template <class Real>
  SKDE_HOST_DEVICE Real value(Real s) const {
    const Real r = std::sqrt(s < Real(1) ? s : Real(1)), square = (Real(1) - r) * (Real(1) - r);
    return square * square * (Real(1) + Real(4) * r);
  }
  static double at(double q) { return WendlandC2Profile().value(q); }
  static double roughness(double /*constant*/) { return 49 / (13 * std::numbers::pi); }
  static double variance(double /*constant*/) { return 1.0 / 15; }
  /// r^2 (1 - r)^4 has two fifths of the integral, and 4 r^3 (1 - r)^4 the rest.
  template <class Draws>
  static Vec3 draw(Draws& draws) {
    const int first = draws.uniform() < 0.4 ? 6 : 8;
    return draw_along_any(draws, draw_beta(draws, first, 10));
  }
};

/// exp(-r): H is a quarter of its covariance.
struct ExponentialProfile {
  static constexpr std::string_view kName = "exponential";
  static constexpr int kDegree = kNoDegree;
  static constexpr double kSupport = kUnbounded;
  static constexpr double kConstant = 1 / (8 * std::numbers::pi);
  static constexpr double kShown = 11;  // a thousandth lies beyond, as for the Gaussian
  static constexpr bool kSteep = true;
  using Slope = void;
  static constexpr double kSlope = 0;

  ExponentialProfile() = default;
  explicit ExponentialProfile(double cut) : reach(cut) {}

  template <class Real>
  SKDE_HOST_DEVICE Real value(Real s) const {
    return s < Real(1) ? exp_of_negative(-Real(reach) * std::sqrt(s)) : Real(0);
  }
  static double at(double q) { return std::exp(-std::sqrt(q)); }
  static double log(double q) { return -std::sqrt(q); }
  static double root_of_fall(double fall) { return fall; }
  /// The tail of the law Gamma(3, 1).
  static double tail(double radius) {
    return (1 + radius + radius * radius / 2) * std::exp(-radius);
  }
  /// As for the Gaussian. Let y lie at a distance c > r from the centre of a sphere of radius r.
  /// The mean of exp(-|x - y|) over the sphere is exp(-c) ((c + 1) sinh(r) - r cosh(r)) / (r c).
  /// Relative to exp(-c), it is least for the nearest y. The least bound is about 2 c^2 exp(-c), at
  /// r = c - 1 / c up to 1 / c^2.
  static double cut_error(double radius) {
    if (radius < 2) return 1;
    const double r = radius - 1 / radius;
    const double rest = (radius + 1 + r) * std::exp(-2 * r);  // over exp(r) / 2
    return 2 * r * radius * std::exp(-r) / (radius + 1 - r - rest);
  }
  static double roughness(double /*constant*/) { return 1 / (64 * std::numbers::pi); }
  static double variance(double /*constant*/) { return 4; }
  template <class Draws>
  static Vec3 draw(Draws& draws) {
    const double distance = draw_chi_squared(draws, 6) / 2;
    return draw_along_any(draws, distance);
  }

  double reach = 0;
};

}  // namespace skde
