#pragma once

#include <algorithm>
#include <cmath>

namespace skde::view {

/// Maps densities to colours: `low` gets the first colour and `high` the last, linearly in the
/// value or in its logarithm. Requires 0 < low < high if logarithmic, low < high otherwise.
struct ValueAxis {
  double low = 0, high = 1;
  bool logarithmic = false;

  /// Returns 0 at low, 1 at high, clamped to 0..1 outside.
  double share_of(double value) const {
    if (!logarithmic) return std::clamp((value - low) / (high - low), 0.0, 1.0);
    if (!(value > low)) return 0;
    return std::clamp(std::log(value / low) / std::log(high / low), 0.0, 1.0);
  }
  double value_at(double share) const {
    return logarithmic ? low * std::pow(high / low, share) : low + share * (high - low);
  }
  friend bool operator==(const ValueAxis&, const ValueAxis&) = default;
};

}  // namespace skde::view
