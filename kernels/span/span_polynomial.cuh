#pragma once

#include <cstdint>

#include "core/kernel/kernel_function.hpp"
#include "kernels/span/coarse_sort.hpp"

/// A kernel along a row of cells as a polynomial with integer coefficients.
///
/// With m the centre and r the half width of the span, M = rint(m), mu = m - M and j = i - M, the
/// profile is sx^2p (1 - q)^p = (r^2 - (j - mu)^2)^p = (e + g j - j^2)^p, e = r^2 - mu^2, g = 2 mu.
/// Its coefficients are rounded to fixed point about M, where they are small, and moved to the
/// tile's reference cell in integers, which is exact: what is added at the left end is taken away
/// at the right end to the last bit. Integers wrap modulo 2^n, so only the sums themselves must
/// fit.
namespace skde::kernels {

template <int P>
inline constexpr int kDegree = 2 * P;

/// Number types of a row: float and 32-bit words, or double and 64-bit words.
template <class Real>
struct SpanWord;

template <>
struct SpanWord<float> {
  using Type = std::int32_t;
  using Sample = FixedSample;

  static __device__ Type round(float x) { return __float2int_rn(x); }
};

template <>
struct SpanWord<double> {
  using Type = long long;
  using Sample = PreciseSample;

  static __device__ Type round(double x) { return __double2ll_rn(x); }
};

/// Computes the coefficients about M, highest last. `scale` is the fixed-point 1 of this sample's
/// weight, an integer.
template <int P, class Real, class Word>
__device__ inline void round_coefficients(Real scale, Real r_squared, Real mu,
                                          Word (&a)[kDegree<P> + 1]) {
  using W = SpanWord<Real>;
  const Real e = r_squared - mu * mu, g = mu + mu;
  if constexpr (P == 0) {
    a[0] = W::round(scale);
  } else if constexpr (P == 1) {
    a[0] = W::round(scale * e);
    a[1] = W::round(scale * g);
    a[2] = -W::round(scale);
  } else if constexpr (P == 2) {
    a[0] = W::round(scale * e * e);
    a[1] = W::round(scale * (2 * e * g));
    a[2] = W::round(scale * (g * g - 2 * e));
    a[3] = W::round(scale * (-2 * g));
    a[4] = W::round(scale);
  } else {
    a[0] = W::round(scale * e * e * e);
    a[1] = W::round(scale * (3 * e * e * g));
    a[2] = W::round(scale * (3 * e * (g * g - e)));
    a[3] = W::round(scale * (g * (g * g - 6 * e)));
    a[4] = W::round(scale * (3 * (e - g * g)));
    a[5] = W::round(scale * (3 * g));
    a[6] = -W::round(scale);
  }
}

/// Turns the polynomial in j = i - M into one in i, by Horner's scheme for the Taylor shift.
template <int Degree, class Word>
__device__ inline void shift_origin(Word (&a)[Degree + 1], Word origin) {
#pragma unroll
  for (int k = 0; k < Degree; ++k)
#pragma unroll
    for (int n = Degree - 1; n >= k; --n) a[n] -= origin * a[n + 1];
}

template <int Degree, class Word>
__device__ inline Word evaluate(const Word (&a)[Degree + 1], Word i) {
  Word value = a[Degree];
#pragma unroll
  for (int n = Degree - 1; n >= 0; --n) value = value * i + a[n];
  return value;
}

}  // namespace skde::kernels
