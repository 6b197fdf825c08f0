#pragma once

#include <cstddef>
#include <string>
#include <vector>

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

}  // namespace skde::io
