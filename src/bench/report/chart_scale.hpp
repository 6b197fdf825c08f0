#pragma once

#include <vector>

#include "bench/report/chart.hpp"
#include "bench/report/log_ticks.hpp"

namespace skde::bench {

/// The range of an axis on its pixels.
class ChartScale {
 public:
  /// A range that shows all values with room around them; 1..10 (logarithmic) or 0..1 where no
  /// value can be shown.
  /// `ends_round`: the range ends at round numbers, otherwise a little beyond the values.
  ChartScale(const ChartAxis& axis, const std::vector<double>& values, bool ends_round);

  double lower() const { return lower_; }
  double upper() const { return upper_; }
  /// Puts the ends of the range on these pixels.
  void place(double first, double last) {
    first_ = first;
    last_ = last;
  }
  /// True where the axis has a place for the value, inside its range or not.
  bool can_show(double value) const;
  /// Where in the range a value lies that can be shown: 0 at the lower end, 1 at the upper one.
  double share(double value) const;
  /// The pixel of such a value.
  double pixel(double value) const;
  /// Ticks with at most about `most` labels.
  ChartTicks ticks(int most) const;

 private:
  AxisScale scale_;
  TickText text_;
  double lower_ = 0, upper_ = 1;
  double first_ = 0, last_ = 1;
};

}  // namespace skde::bench
