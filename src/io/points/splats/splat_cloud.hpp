#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// Gaussian splats in memory, with the quantities of the PLY files in which they are trained.
struct SplatCloud {
  std::vector<double> xyz;  ///< (N,3), world units
  std::vector<float>
      log_scales;  ///< (N,3), natural logarithms of the standard deviations: scale_0 to 2
  std::vector<float> rotations;  ///< (N,4), unit quaternions, w first: rot_0 to rot_3
  std::vector<float> opacities;  ///< (N), logits: opacity
  std::vector<float> colours;    ///< (N,3), coefficients of the constant harmonic: f_dc_0 to 2
  std::vector<float> harmonics;  ///< (N,3,K), red first, as f_rest_0 ...; empty without bands
  bool antialiased = false;      ///< trained with an anti-aliasing filter, as .spz can say
  std::string note{};            ///< on how they were read; mostly empty
  int bands = 0;                 ///< of the harmonics beyond the constant one: K = 0, 3, 8, 15, 24

  std::size_t size() const { return xyz.size() / 3; }
  /// K, harmonics of each colour.
  std::size_t harmonics_each() const { return static_cast<std::size_t>(bands * (bands + 2)); }
};

/// The constant harmonic, 1 / (2 sqrt(pi)): a colour is 0.5 + kConstantHarmonic * f_dc.
inline constexpr double kConstantHarmonic = 0.28209479177387814;

/// Returns the nearest byte, and the nearest end for a value beyond 0 to 255; 0 for NaN.
inline std::uint8_t nearest_byte(double value) {
  return value > 0 ? static_cast<std::uint8_t>(std::min(std::floor(value + 0.5), 255.0))
                   : std::uint8_t{0};
}

/// Returns the byte of an opacity between 0 and 1 whose logit is given.
inline std::uint8_t opacity_byte(float logit) {
  return nearest_byte(255 / (1 + std::exp(-static_cast<double>(logit))));
}

/// Returns the logit of an opacity. Published readers keep it finite by this distance from 0 and 1.
inline float opacity_of_share(double opacity) {
  constexpr double kLeast = 1e-6;
  const double share = std::clamp(opacity, kLeast, 1 - kLeast);
  return static_cast<float>(std::log(share / (1 - share)));
}

/// Returns the logit of an opacity that is stored as a byte.
inline float opacity_of_byte(std::uint8_t byte) { return opacity_of_share(byte / 255.0); }

/// Returns the unit quaternion along q, in the order of q, or its first part alone if q is zero.
inline std::array<double, 4> unit_quaternion(std::array<double, 4> q) {
  const double norm = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  if (!(norm > 0)) return {1, 0, 0, 0};
  for (double& part : q) part /= norm;
  return q;
}

/// Returns the index of the part of the largest magnitude; of equal ones, the first.
inline std::size_t largest_part(const std::array<double, 4>& q) {
  std::size_t largest = 0;
  for (std::size_t i = 1; i < q.size(); ++i)
    if (std::abs(q[i]) > std::abs(q[largest])) largest = i;
  return largest;
}

/// Returns what a unit quaternion lacks of length one, given its other three parts.
inline double missing_part(double a, double b, double c) {
  return std::sqrt(std::max(0.0, 1 - (a * a + b * b + c * c)));
}

/// Bytes that splats take in memory.
inline std::uint64_t kept_splat_bytes(std::uint64_t splats, int bands) {
  constexpr std::uint64_t kPlain = 3 * sizeof(double) + 11 * sizeof(float);
  const auto harmonics = static_cast<std::uint64_t>(3 * bands * (bands + 2));
  return splats * (kPlain + harmonics * sizeof(float));
}

/// Throws Error(resources) if splats would take more than `most_bytes`; 0: any number.
void require_kept_bytes(const std::string& file, std::uint64_t splats, int bands,
                        std::int64_t most_bytes);

/// Throws Error(input) if a source cannot hold `splats` of at least so many bytes each from its
/// position on or, where its size is unknown (packed files and pipes), if these take more than
/// 1 GiB, or if there are no splats; and what require_kept_bytes() throws. Nothing has been
/// allocated by then.
void require_splat_bytes(const BufferedSource& source, std::uint64_t splats, std::size_t bytes_each,
                         int bands, std::int64_t most_bytes);

/// Reads exactly so many bytes. Throws Error(input) that names what they are if the source ends.
void read_exactly(BufferedSource& source, void* to, std::size_t count, const char* what);

/// Skips what follows the splats, at most 1 MiB, so that a packed file is checked to its end.
/// Throws Error(input) if more follows.
void skip_rest(BufferedSource& source);

}  // namespace skde::io
