#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <vector>

namespace skde::bench {

/// Order statistics of the repetitions of one measurement.
struct Summary {
  double minimum = 0, lower_quartile = 0, median = 0, upper_quartile = 0;

  /// Interquartile range as a share of the median; 0 where that is 0.
  double relative_spread() const {
    return median > 0 ? (upper_quartile - lower_quartile) / median : 0;
  }
};

/// Quartiles are interpolated linearly. Throws std::invalid_argument where there are no values.
inline Summary summarize(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("there are no values to summarise");
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  const auto quantile = [&](double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    return std::lerp(sorted[below], sorted[std::min(below + 1, sorted.size() - 1)],
                     place - static_cast<double>(below));
  };
  return {sorted.front(), quantile(0.25), quantile(0.5), quantile(0.75)};
}

/// How many times as long the second of two samples of times takes: the ratio of the minima, which
/// lies between those of a minimum and the other's upper quartile.
struct Ratio {
  double value = 0, low = 0, high = 0;
};
inline Ratio time_ratio(std::span<const double> before, std::span<const double> after) {
  const Summary old = summarize(before), now = summarize(after);
  return {now.minimum / old.minimum, now.minimum / old.upper_quartile,
          now.upper_quartile / old.minimum};
}

/// Differences of fewer than this share are never called a change.
inline constexpr double kLeastChange = 0.05;

enum class Change { faster, within_noise, slower };

/// Slower where even the fastest run takes longer than three of four did before, and the minimum
/// grew by more than `least`; faster by the same rule the other way around.
inline Change judge_change(const Ratio& ratio, double least = kLeastChange) {
  if (ratio.low > 1 && ratio.value > 1 + least) return Change::slower;
  if (ratio.high < 1 && ratio.value < 1 / (1 + least)) return Change::faster;
  return Change::within_noise;
}

}  // namespace skde::bench
