#pragma once

#include <string>
#include <vector>

namespace skde {

/// Ticks on an axis. What a label leaves out belongs beside the axis name: the number at a tick is
/// its label times 10^exponent, plus `offset`.
struct AxisTicks {
  std::vector<double> positions;  ///< ascending, within the range
  std::vector<std::string> labels;
  std::vector<double> minor;  ///< ascending: ticks between those, without a label
  double step = 0;            ///< from tick to tick; 0 where there is one, or unlike steps
  double offset = 0;
  int exponent = 0;  ///< a multiple of 3
};

/// Ticks for lower..upper at multiples of 1, 2 or 5 times a power of ten, which span at most
/// `intervals` (at least 1) steps; at least one tick, from 5 intervals on at least two. Numbers
/// that would be long take a common offset (narrow ranges far from 0) or a common exponent (very
/// large or small ones). A range that is empty or below the resolution of double has one tick.
AxisTicks choose_ticks(double lower, double upper, int intervals);

/// Ticks for lower..upper on a logarithmic axis, with at most `most` (at least 1) labels: powers of
/// ten ("10⁻³"), every second, third, ... one where there are many. Minor ticks are the powers of
/// ten that have no label or, where each has one, the multiples 2..9 of them. A range within which
/// fewer than two powers of ten lie, or that is not above 0, has the ticks of choose_ticks with as
/// many labels.
AxisTicks choose_log_ticks(double lower, double upper, int most);

/// The name of an axis with what its labels leave out: "x", "x (m)", "x − 450000 (10³ m)".
std::string axis_caption(const std::string& name, const AxisTicks& ticks, const std::string& units);

/// "10⁻³".
std::string power_of_ten(int exponent);

}  // namespace skde
