#pragma once

#include <string>
#include <vector>

namespace skde {

/// Ticks on an axis at multiples of 1, 2 or 5 times a power of ten. A label is the tick's position
/// less `offset`, divided by 10^exponent; both belong beside the axis name where they are not 0.
struct AxisTicks {
  std::vector<double> positions;  ///< ascending, within the range
  std::vector<std::string> labels;
  double step = 0;  ///< 0 where the range is too narrow for two different numbers
  double offset = 0;
  int exponent = 0;  ///< a multiple of 3
};

/// Ticks for lower..upper, which span at most `intervals` (at least 1) steps; at least one tick,
/// from 5 intervals on at least two. Numbers that would be long take a common offset (narrow ranges
/// far from 0) or a common exponent (very large or small ones). A range that is empty or below the
/// resolution of double has one tick.
AxisTicks choose_ticks(double lower, double upper, int intervals);

/// The name of an axis with what its labels leave out: "x", "x (m)", "x − 450000 (10³ m)".
std::string axis_caption(const std::string& name, const AxisTicks& ticks, const std::string& units);

/// "10⁻³".
std::string power_of_ten(int exponent);

}  // namespace skde
