#pragma once

#include <string>
#include <vector>

namespace skde {

/// Ticks on an axis. The caption of the axis must state what labels leave out: the number at a tick
/// is its label times 10^exponent, plus `offset`.
struct AxisTicks {
  std::vector<double> positions;  ///< ascending, within the range
  std::vector<std::string> labels;
  std::vector<double> minor;  ///< ascending: unlabelled ticks between the others
  double step = 0;            ///< between ticks; 0 for a single tick or unequal steps
  double offset = 0;
  int exponent = 0;  ///< a multiple of 3
};

/// Returns ticks for lower..upper at multiples of 1, 2 or 5 times a power of ten, which span at
/// most `intervals` (at least 1) steps. There is at least one tick, and from 5 intervals on at
/// least two. Long numbers take a common offset (narrow ranges far from 0) or a common exponent
/// (very large or small ones). A range that is empty or below the resolution of double has one
/// tick.
AxisTicks choose_ticks(double lower, double upper, int intervals);

/// Returns ticks for lower..upper on a logarithmic axis, with at most `most` (at least 1) labels.
/// Labels are at powers of ten ("10⁻³"), or at every second, third, ... one if there are many.
/// Minor ticks are the powers of ten without a label or, if each has one, their multiples 2..9. A
/// range with fewer than two powers of ten, or not above 0, has the ticks of choose_ticks with as
/// many labels.
AxisTicks choose_log_ticks(double lower, double upper, int most);

/// Returns the name of an axis with what its labels leave out: "x", "x (m)", "x − 450000 (10³ m)".
std::string axis_caption(const std::string& name, const AxisTicks& ticks, const std::string& units);

/// Returns "10⁻³".
std::string power_of_ten(int exponent);

}  // namespace skde
