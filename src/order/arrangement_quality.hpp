#pragma once

#include <cstdint>
#include <span>

#include "order/arrangement.hpp"

namespace skde {

/// How alike neighbours on a grid are: cells that share an edge and both hold an item.
struct ArrangementQuality {
  double distance = 0;  ///< the mean Euclidean distance of their values
  /// VAD: the variance of |dx| over all columns and pairs along x, and that of |dy|, averaged.
  double variance = 0;
};

/// `values` are those that were arranged, (N, columns), and `item_at` says which is in each cell of
/// rows of `width` cells. 0 if there are no neighbours.
ArrangementQuality arrangement_quality(std::span<const float> values, std::size_t columns,
                                       std::span<const std::uint32_t> item_at, std::size_t width);

}  // namespace skde
