#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace skde::io {

/// 256 values, ascending, by which others are replaced.
class Codebook {
 public:
  /// The values that are nearest to these on average (least mean square): their quantiles or equal
  /// steps, whichever are nearer, then steps of Lloyd (IEEE Trans. Information Theory 28(2), 1982)
  /// on at most 2^18 of them and the two outermost. At most 256 different values are all kept.
  explicit Codebook(std::span<const float> values);

  const std::array<float, 256>& values() const { return values_; }
  /// Index of the nearest value.
  std::uint8_t nearest(float value) const;

 private:
  std::array<float, 256> values_{};
  std::array<float, 255> bounds_{};  ///< halfway between neighbours
};

}  // namespace skde::io
