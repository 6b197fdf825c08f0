#pragma once

#include <string>
#include <vector>

#include "bench/report/chart.hpp"

namespace skde::bench {

/// Ticks of an axis of a chart: labelled ones, and the unlabelled lines between them.
struct ChartTicks {
  std::vector<double> positions;  ///< ascending, within the range
  std::vector<std::string> labels;
  std::vector<double> minor;  ///< ascending; 2..9 times the decades, or the decades themselves
};

/// Ticks for lower..upper (0 < lower < upper) with at most about `most` (at least 2) labels: powers
/// of ten, every second or third where there are too many; 1, 2 and 5 times them where there
/// are few; round numbers where the range is narrower. Always at least two labels.
ChartTicks choose_log_ticks(double lower, double upper, int most, TickText text);

/// 1, 2 or 5 times a power of ten: the greatest one that is at most, the least that is at least
/// `value` (> 0).
double round_below(double value);
double round_above(double value);

/// One value as its axis writes it: "10 µs", "×2.5", "10⁶", "0.5".
std::string tick_text(double value, TickText text);

}  // namespace skde::bench
