#pragma once

#include <cstring>
#include <numbers>

#include "core/kernel/kernel_profiles.hpp"
#include "core/space/space.hpp"

/// What a sample adds to cells as integers, for one cell or for a vector of them. `Reals` is double
/// or a vector of it, `Wholes` std::int64_t or a vector of as many. Sources that include this
/// header are compiled without fused multiply-adds, so that every machine gives the same bits.
/// Vectors go by reference, because passing them by value depends on the instruction set.
namespace skde {

template <class Wholes, class Reals>
[[gnu::always_inline]] SKDE_HOST_DEVICE inline void copy_bits(Wholes& bits, const Reals& value) {
  static_assert(sizeof bits == sizeof value);
  memcpy(&bits, &value, sizeof bits);
}

/// Adding this to |x| < 2^51 leaves the nearest integer in the last bits of the sum. Unlike a
/// conversion, this is a vector instruction on every CPU.
inline constexpr double kWholeRounding = 0x1.8p52;

/// sum = 1 + x + ... + x^N / N!, added from the last term on.
template <int K, int N, class Reals>
[[gnu::always_inline]] SKDE_HOST_DEVICE inline void add_exponential_terms(Reals& sum,
                                                                          const Reals& x) {
  if constexpr (K < N) add_exponential_terms<K + 1, N>(sum, x);
  sum = sum * (x * (1.0 / K)) + 1.0;
}

/// value = exp(x) for x from -700 to 0, computed as in exp_of_negative, but with products and sums
/// kept apart.
template <class Wholes, class Reals>
[[gnu::always_inline]] SKDE_HOST_DEVICE inline void separate_exponential(Reals& value,
                                                                         const Reals& x) {
  const Reals zero{}, shifted = x * std::numbers::log2e + kWholeRounding;
  const Reals r = x - (shifted - kWholeRounding) * std::numbers::ln2;
  Reals sum = zero + 1.0;
  add_exponential_terms<1, 12>(sum, r);
  Wholes power, bits;
  copy_bits(power, shifted);
  copy_bits(bits, sum);
  bits += power << 52;
  copy_bits(value, bits);
}

/// value = weight times the profile. `rest` is 1 - q, with q scaled so that kernels end at q = 1.
template <class Wholes, class Profile, class Reals>
[[gnu::always_inline]] SKDE_HOST_DEVICE inline void weighted_profile(Reals& value,
                                                                     const Profile& profile,
                                                                     const Reals& rest,
                                                                     double weight) {
  const Reals zero{};
  const Reals s = rest > zero ? rest : zero;
  if constexpr (Profile::kDegree == 0) value = rest > zero ? zero + weight : zero;
  if constexpr (Profile::kDegree == 1) value = s * weight;
  if constexpr (Profile::kDegree == 2) value = s * s * weight;
  if constexpr (Profile::kDegree == 3) value = s * s * (s * weight);
  if constexpr (Profile::kDegree == kNoDegree) {
    separate_exponential<Wholes>(value, (s - 1.0) * profile.rate);
    value = rest > zero ? value * weight : zero;
  }
}

/// Adds the integers nearest to the weight times the profile.
template <class Wholes, class Profile, class Reals>
[[gnu::always_inline]] SKDE_HOST_DEVICE inline void add_whole_profile(Wholes& cells,
                                                                      const Profile& profile,
                                                                      const Reals& rest,
                                                                      double weight) {
  Reals value;
  weighted_profile<Wholes>(value, profile, rest, weight);
  const Reals zero{}, rounded = value + kWholeRounding, none = zero + kWholeRounding;
  Wholes sum, nothing;
  copy_bits(sum, rounded);
  copy_bits(nothing, none);
  cells += sum - nothing;
}

}  // namespace skde
