#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <type_traits>

#include "core/space/space.hpp"

namespace skde {

/// 1 + r/K (1 + r/(K+1) (... (1 + r/N))); for K = 1 these are the first terms of exp(r).
template <int K, int N, class Real>
inline Real exponential_series(Real r) {
  if constexpr (K > N)
    return Real(1);
  else
    return exponential_series<K + 1, N>(r) * (r * (Real(1) / Real(K))) + Real(1);
}

/// Returns exp(x) for x <= 0 with an error of at most one ulp of 1, which suffices for sums of
/// kernels. It has no branch and no call, so loops over cells vectorise. Below -80 it is exp(-80).
template <class Real>
SKDE_HOST_DEVICE inline Real exp_of_negative(Real x) {
  constexpr bool kFloat = sizeof(Real) == sizeof(float);
  x = x > Real(-80) ? x : Real(-80);
#if defined(__CUDA_ARCH__)
  if constexpr (kFloat)
    return __expf(x);
  else
    return exp(x);
#else
  // 2^n e^r with integer n and |r| <= ln(2) / 2, for which a short Taylor series is exact. Adding
  // this constant rounds to an integer, which the last bits of the sum hold.
  constexpr Real kRound = kFloat ? Real(0x1.8p23) : Real(0x1.8p52);
  const Real shifted = x * Real(std::numbers::log2e) + kRound;
  const Real r = x - (shifted - kRound) * Real(std::numbers::ln2);
  const Real sum = exponential_series < 1, kFloat ? 7 : 12 > (r);
  if constexpr (kFloat) {
    const auto power = std::bit_cast<std::uint32_t>(shifted) << 23;
    return std::bit_cast<float>(std::bit_cast<std::uint32_t>(sum) + power);
  } else {
    const auto power = std::bit_cast<std::uint64_t>(shifted) << 52;
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) + power);
  }
#endif
}

/// Returns exp(x) - 1 for |x| <= 80 to a few of its own last places, as exp_of_negative() does.
template <class Real>
inline Real exp_less_one(Real x) {
  constexpr bool kFloat = sizeof(Real) == sizeof(float);
  using Bits = std::conditional_t<kFloat, std::uint32_t, std::uint64_t>;
  constexpr Real kRound = kFloat ? Real(0x1.8p23) : Real(0x1.8p52);
  const Real shifted = x * Real(std::numbers::log2e) + kRound;
  const Real r = x - (shifted - kRound) * Real(std::numbers::ln2);
  const Real part = r * exponential_series < 2, kFloat ? 7 : 12 > (r);
  const Real power = std::bit_cast<Real>(std::bit_cast<Bits>(Real(1)) +
                                         (std::bit_cast<Bits>(shifted) << (kFloat ? 23 : 52)));
  return power * part + (power - Real(1));
}

}  // namespace skde
