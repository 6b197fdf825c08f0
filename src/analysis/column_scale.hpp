#pragma once

#include <cstddef>
#include <span>

namespace skde {

/// The middle of a column of values and half of its range. Scaling by them keeps the digits of sums
/// of squares.
struct ColumnScale {
  double middle = 0, spread = 1;

  /// Returns the value scaled to -1 to 1.
  double scaled(double value) const { return (value - middle) / spread; }
};

/// Returns the scale of one of several columns; values are stored row by row. Throws Error(input)
/// if a value is not finite.
ColumnScale scale_of(std::span<const double> values, std::size_t columns, std::size_t column);
/// Throws Error(usage) unless there are equally many values for every sample.
void require_columns(std::span<const double> values, std::size_t columns);

}  // namespace skde
