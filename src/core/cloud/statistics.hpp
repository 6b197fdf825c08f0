#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

namespace skde {

/// Order statistics of repeated measurements.
struct Summary {
  double minimum = 0, lower_quartile = 0, median = 0, upper_quartile = 0, maximum = 0;

  /// Interquartile range as a share of the median; 0 if the median is 0.
  double relative_spread() const {
    return median > 0 ? (upper_quartile - lower_quartile) / median : 0;
  }
};

/// Returns the order statistics; quartiles are interpolated linearly. Throws std::invalid_argument
/// if there are no values.
inline Summary summarize(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("no values to summarise");
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto quantile = [&](double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    return std::lerp(sorted[below], sorted[std::min(below + 1, sorted.size() - 1)],
                     place - static_cast<double>(below));
  };
  return {sorted.front(), quantile(0.25), quantile(0.5), quantile(0.75), sorted.back()};
}

}  // namespace skde
