#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

#include "core/space.hpp"

namespace skde {

/// 1 + r/K (1 + r/(K+1) (... (1 + r/N))): from K = 1 on, the first terms of exp(r).
template <int K, int N, class Real>
inline Real exponential_series(Real r) {
  if constexpr (K > N)
    return Real(1);
  else
    return exponential_series<K + 1, N>(r) * (r * (Real(1) / Real(K))) + Real(1);
}

/// exp(x) for x <= 0, within one last place of 1: what matters where kernels are added up. Without
/// a branch or a call, so that loops over cells vectorise; below -80 it is exp(-80).
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
  // 2^n e^r with n whole and |r| <= ln(2) / 2, for which Taylor's series is soon exact. Adding this
  // constant rounds to whole numbers, which its last bits hold.
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

}  // namespace skde
