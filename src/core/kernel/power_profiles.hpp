#pragma once

#include <cmath>
#include <limits>
#include <numbers>
#include <string_view>

#include "core/kernel/kernel_transform.hpp"
#include "core/kernel/self_convolution.hpp"
#include "core/space/space.hpp"

/// The rows of powers of 1 - q: see kernel_profiles.hpp.
namespace skde {

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
