#pragma once

#include <cmath>

#include "core/space/space.hpp"

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

}  // namespace skde
