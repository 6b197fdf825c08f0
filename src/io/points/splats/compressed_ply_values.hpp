#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

#include "io/points/splats/splat_values.hpp"

namespace skde::io {

// How compressed PLY packs numbers into words of 32 bits, the first in the highest bits.

inline constexpr std::size_t kChunkSplats = 256;
inline constexpr std::array<int, 3> kThreeBits{11, 10, 11};
inline constexpr std::array<int, 4> kFourBits{8, 8, 8, 8};
inline constexpr std::array<int, 3> kPartBits{10, 10, 10};

/// Returns the nearest step of 2^bits - 1 steps from 0 to 1; 0 for NaN.
inline std::uint32_t step_of(double share, int bits) {
  const double top = (1 << bits) - 1;
  return share > 0 ? static_cast<std::uint32_t>(std::min(std::floor(share * top + 0.5), top)) : 0U;
}

/// Packs shares from 0 to 1.
template <std::size_t N>
std::uint32_t packed_shares(const std::array<double, N>& shares, const std::array<int, N>& bits,
                            std::uint32_t word = 0) {
  for (std::size_t k = 0; k < N; ++k) word = word << bits[k] | step_of(shares[k], bits[k]);
  return word;
}

/// The reverse of packed_shares().
template <std::size_t N>
std::array<double, N> unpacked_shares(std::uint32_t word, const std::array<int, N>& bits) {
  std::array<double, N> shares{};
  for (std::size_t k = N; k-- > 0; word >>= bits[k]) {
    const std::uint32_t top = (1U << bits[k]) - 1;
    shares[k] = static_cast<double>(word & top) / top;
  }
  return shares;
}

/// The index of the largest part of w, x, y and z, then the others in that order, which lie between
/// -1/sqrt(2) and 1/sqrt(2) once the largest is positive.
inline std::uint32_t packed_rotation(const std::array<double, 4>& wxyz) {
  const std::size_t largest = largest_part(wxyz);
  const double sign = wxyz[largest] < 0 ? -1 : 1;
  std::array<double, 3> shares{};
  for (std::size_t k = 0, to = 0; k < 4; ++k)
    if (k != largest) shares[to++] = sign * wxyz[k] / std::numbers::sqrt2 + 0.5;
  return packed_shares(shares, kPartBits, static_cast<std::uint32_t>(largest));
}

/// The reverse of packed_rotation(): w, x, y and z.
inline std::array<double, 4> unpacked_rotation(std::uint32_t word) {
  std::array<double, 3> parts = unpacked_shares(word, kPartBits);
  for (double& part : parts) part = (part - 0.5) * std::numbers::sqrt2;
  const std::size_t largest = word >> 30;
  std::array<double, 4> q{};
  for (std::size_t k = 0, from = 0; k < 4; ++k)
    q[k] = k == largest ? missing_part(parts[0], parts[1], parts[2]) : parts[from++];
  return unit_quaternion(q);
}

/// A harmonic as a byte; the outermost bytes stand for -4 and 4.
inline std::uint8_t harmonic_byte(float value) {
  const double shifted = (static_cast<double>(value) / 8 + 0.5) * 256;
  return shifted > 0 ? static_cast<std::uint8_t>(std::min(shifted, 255.0)) : std::uint8_t{0};
}
inline float harmonic_of_byte(std::uint8_t byte) {
  const double share = byte == 0 ? 0 : byte == 255 ? 1 : (byte + 0.5) / 256;
  return static_cast<float>((share - 0.5) * 8);
}

}  // namespace skde::io
