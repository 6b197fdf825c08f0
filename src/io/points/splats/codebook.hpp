#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/report/progress.hpp"

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

/// Rows of numbers, and which of them stands for each row of a longer list.
struct Palette {
  std::vector<float> entries;         ///< (size, width)
  std::vector<std::uint16_t> labels;  ///< for each row the entry that replaces it
  std::size_t size = 0;
};

/// Returns at most `most` entries, no more than 65,536, for rows of `width` numbers each. Where
/// there are no more rows, they are the entries. Else the rows are split by k-means into 16, each
/// of these again by its share of the entries, and so on (tree-structured vector quantisation,
/// Gersho and Gray, 1992, section 12.4): each row is compared with some 16 others at each of a few
/// levels, so the cost is linear in the rows. The same rows and seed give the same palette. Throws
/// Error(cancelled).
Palette palette_of(std::span<const float> rows, std::size_t width, std::size_t most,
                   std::uint64_t seed, const Progress& progress);

}  // namespace skde::io
