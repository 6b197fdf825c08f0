#pragma once

#include <optional>
#include <string>

namespace skde {

/// A window of time, or of any other column: the rows whose value is from `at` to `at` + `width`.
struct TimeWindow {
  std::string column{};           ///< its name or 1-based number; empty: all rows
  std::optional<double> at{};     ///< unset: the least value
  std::optional<double> width{};  ///< unset: a tenth of the range of the values

  friend bool operator==(const TimeWindow&, const TimeWindow&) = default;
};

/// The range of a column's values and the window in it, in the column's unit.
struct TimeRange {
  double least = 0, most = 0, from = 0, to = 0;

  friend bool operator==(const TimeRange&, const TimeRange&) = default;
};

/// Returns the condition on rows that they lie in the window, as `where` takes it.
std::string time_condition(const std::string& column, const TimeRange& range);

}  // namespace skde
