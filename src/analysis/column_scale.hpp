#pragma once

#include <cstddef>
#include <span>

namespace skde {

/// The middle of a column of values and half of its spread, so that sums of squares keep their
/// digits.
struct ColumnScale {
  double middle = 0, spread = 1;

  /// From -1 to 1.
  double scaled(double value) const { return (value - middle) / spread; }
};

/// Of one of several columns, whose values stand row by row. Error(input) where one is not finite.
ColumnScale scale_of(std::span<const double> values, std::size_t columns, std::size_t column);
/// Error(usage) where values are not as many for every sample.
void require_columns(std::span<const double> values, std::size_t columns);

}  // namespace skde
