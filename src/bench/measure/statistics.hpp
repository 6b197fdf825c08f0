#pragma once

#include <cstddef>
#include <span>

namespace skde::bench {

/// Order statistics of the repetitions of one measurement; quartiles are interpolated linearly.
struct Summary {
  std::size_t count = 0;
  double minimum = 0, lower_quartile = 0, median = 0, upper_quartile = 0, maximum = 0;

  /// Interquartile range as a share of the median; 0 where that is 0.
  double relative_spread() const;
};

/// Throws std::invalid_argument where there are no values.
Summary summarize(std::span<const double> values);

/// How many times as long the second of two samples of times takes.
struct Ratio {
  double value = 0;  ///< of the minima
  /// From the minimum over the other's upper quartile to the upper quartile over the other's
  /// minimum, which hold `value` between them.
  double low = 0, high = 0;
};

/// `after` over `before`. Throws std::invalid_argument where either has no values.
Ratio time_ratio(std::span<const double> before, std::span<const double> after);

enum class Change { faster, within_noise, slower };

/// Differences of fewer than this share are never called a change.
inline constexpr double kLeastChange = 0.05;

/// Slower where even the fastest run takes longer than three of four did before, and the minimum
/// grew by more than `least`; faster by the same rule the other way around.
Change judge_change(std::span<const double> before, std::span<const double> after,
                    double least = kLeastChange);

}  // namespace skde::bench
