#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <string_view>
#include <tuple>

#include "core/host_device.hpp"

namespace skde {

/// The rows of the table of kernels: k(q) = kConstant * value(q) on q < 1 and 0 beyond, with
/// q = u^T H^-1 u. To add a kernel, write its row and name it in KernelProfiles: the engines that
/// evaluate profiles serve it then. Those that can do better ask for kDegree, never for the name.
///
/// A row has: kName; kDegree, p where the value is (1 - q)^p, or kNoDegree; kConstant, which makes
/// the integral over space 1; kSupport, the root of q from which on it is 0; roughness(), the
/// integral of k^2, and variance(), that of x^2 k, from which the rules of bandwidth follow; and
/// value(q), without a jump at q = 1 wherever it can.

inline constexpr int kNoDegree = -1;

/// (1 - q)^P, branch-free so that rows vectorise. 1 / kConstant = 2 pi B(3/2, P + 1).
template <int P>
struct PowerProfile {
  static constexpr int kDegree = P;
  static constexpr double kSupport = 1;

  template <class Real>
  static SKDE_HOST_DEVICE Real value(Real q) {
    const Real t = Real(1) - q;
    if constexpr (P == 0) return t > Real(0) ? Real(1) : Real(0);
    const Real s = t > Real(0) ? t : Real(0);
    if constexpr (P == 1) return s;
    if constexpr (P == 2) return s * s;
    return s * s * s;
  }

  static double roughness(double constant) {
    return constant * constant * 2 * std::numbers::pi * beta(1.5, 2 * P + 1);
  }
  static double variance(double constant) {
    return constant * (2 * std::numbers::pi / 3) * beta(2.5, P + 1);
  }

 private:
  static_assert(P >= 0 && P <= 3);
  static double beta(double a, double b) {
    return std::tgamma(a) * std::tgamma(b) / std::tgamma(a + b);
  }
};

struct EpanechnikovProfile : PowerProfile<1> {
  static constexpr std::string_view kName = "epanechnikov";
  static constexpr double kConstant = 15 / (8 * std::numbers::pi);
};
struct UniformProfile : PowerProfile<0> {
  static constexpr std::string_view kName = "uniform";
  static constexpr double kConstant = 3 / (4 * std::numbers::pi);
};
struct BiweightProfile : PowerProfile<2> {
  static constexpr std::string_view kName = "biweight";
  static constexpr double kConstant = 105 / (32 * std::numbers::pi);
};
struct TriweightProfile : PowerProfile<3> {
  static constexpr std::string_view kName = "triweight";
  static constexpr double kConstant = 315 / (64 * std::numbers::pi);
};

/// All rows, the default one first.
using KernelProfiles =
    std::tuple<EpanechnikovProfile, UniformProfile, BiweightProfile, TriweightProfile>;

}  // namespace skde
