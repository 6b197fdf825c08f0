#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace skde {

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

}  // namespace skde
