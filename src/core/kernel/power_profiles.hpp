#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <string_view>

#include "core/space/space.hpp"

/// The rows of powers of 1 - q: see kernel_profiles.hpp.
namespace skde {

/// Fourier transform of (1 - |x|^2)^P on the unit ball, as a share of the integral, at the squared
/// angular frequency w2: (2n + 1)!! j_n(w) / w^n with n = P + 1 and the spherical Bessel function
/// j_n (Stein and Weiss 1971, theorem IV.4.15). Accurate to a few roundings of 1.
template <int P, class Real>
SKDE_HOST_DEVICE inline Real ball_transform(Real w2) {
  constexpr int n = P + 1;
  constexpr bool kFloat = sizeof(Real) == sizeof(float);
  constexpr Real kFactorial = n == 1 ? 3 : n == 2 ? 15 : n == 3 ? 105 : 945;
  // Below this the closed form loses digits by cancellation, and few terms of the series suffice.
  constexpr Real kSeriesBelow = 36;
  if (w2 < kSeriesBelow) {
    constexpr int kTerms = kFloat ? 16 : 26;
    Real sum = 1;
    for (int k = kTerms; k > 0; --k)
      sum = Real(1) - sum * w2 / static_cast<Real>(2 * k * (2 * n + 2 * k + 1));
    return sum;
  }
  const Real w = std::sqrt(w2), inverse = 1 / w, square = inverse * inverse;
  const Real s = std::sin(w), c = std::cos(w);
  // a_k = j_k / w^k follows from the two before it: w^2 a_k = (2k - 1) a_(k-1) - a_(k-2).
  Real before = s * inverse, now = (s * inverse - c) * square;
  for (int k = 2; k <= n; ++k) {
    const Real next = (static_cast<Real>(2 * k - 1) * now - before) * square;
    before = now;
    now = next;
  }
  return kFactorial * now;
}

/// The convolution with itself of (1 - |x|^2)^P, scaled to integral 1 over the unit ball, at the
/// distance s < 2 from the centre; it is 0 from there on. With F the integral of t k(t) from r to
/// 1, it is (2 pi / s) times the integral of r k(r) (F(|r - s|) - F(r + s)). It equals a polynomial
/// of degree 2P + 1 times (2 - s)^(2P + 2) / pi.
template <int P>
struct BallConvolution {
  static_assert(P >= 0 && P <= 3);
  static constexpr std::size_t kTerms = 2 * static_cast<std::size_t>(P) + 2;

  static constexpr std::array<double, kTerms> coefficients() {
    if constexpr (P == 0) return {3.0 / 16, 3.0 / 64};
    if constexpr (P == 1) return {15.0 / 224, 15.0 / 112, 45.0 / 896, 45.0 / 7168};
    if constexpr (P == 2)
      return {35.0 / 1408,  105.0 / 1408,  1435.0 / 16896,
              105.0 / 2816, 175.0 / 22528, 175.0 / 270336};
    if constexpr (P == 3)
      return {315.0 / 36608,    315.0 / 9152,   8505.0 / 146432,  945.0 / 18304,
              14175.0 / 585728, 945.0 / 146432, 2205.0 / 2342912, 2205.0 / 37486592};
  }

  /// Has no branch, so that loops over pairs vectorise.
  static double at(double s) {
    constexpr std::array<double, kTerms> c = coefficients();
    const double left = s < 2 ? 2 - s : 0, square = left * left;
    double power = 1, sum = 0;
    for (int i = 0; i <= P; ++i) power *= square;
    for (std::size_t i = kTerms; i-- > 0;) sum = sum * s + c[i];
    return power * sum / std::numbers::pi;
  }
};

inline constexpr int kNoDegree = -1;
inline constexpr double kUnbounded = std::numeric_limits<double>::infinity();

/// (1 - q)^P. 1 / kConstant = 2 pi B(3/2, P + 1).
template <int P>
struct PowerProfile {
  static constexpr int kDegree = P;
  static constexpr double kSupport = 1, kShown = 1;
  static constexpr bool kSteep = false;

  PowerProfile() = default;
  explicit PowerProfile(double /*cut*/) {}

  template <class Real>
  SKDE_HOST_DEVICE Real value(Real s) const {
    return power(Real(1) - s);
  }
  /// Returns value(s), given `room` = 1 - s.
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
  static constexpr double kSlope = -P;
  /// Draws the first three coordinates of a place that is uniform on the sphere in 2P + 5
  /// dimensions. Their squared length has the Beta(3/2, P + 1) law of q.
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
  /// t is at most 1.
  template <class Real>
  static SKDE_HOST_DEVICE Real power(Real t) {
    if constexpr (P == 0) return t > Real(0) ? Real(1) : Real(0);
#if defined(__CUDA_ARCH__)
    const Real s = sizeof(Real) == sizeof(float) ? Real(__saturatef(float(t))) : fmax(t, Real(0));
#else
    const Real s = t > Real(0) ? t : Real(0);
#endif
    if constexpr (P == 1) return s;
    if constexpr (P == 2) return s * s;
    return s * s * s;
  }
  static double beta(double a, double b) {
    return std::tgamma(a) * std::tgamma(b) / std::tgamma(a + b);
  }
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

}  // namespace skde
