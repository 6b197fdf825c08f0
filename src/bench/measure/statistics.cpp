#include "bench/measure/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace skde::bench {
namespace {

/// The value below which this share of the sorted values lies.
double quantile(std::span<const double> sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - static_cast<double>(below));
}

}  // namespace

double Summary::relative_spread() const {
  return median > 0 ? (upper_quartile - lower_quartile) / median : 0;
}

Summary summarize(std::span<const double> values) {
  if (values.empty()) throw std::invalid_argument("there are no values to summarise");
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return {sorted.size(),         sorted.front(),         quantile(sorted, 0.25),
          quantile(sorted, 0.5), quantile(sorted, 0.75), sorted.back()};
}

Ratio time_ratio(std::span<const double> before, std::span<const double> after) {
  const Summary old = summarize(before), now = summarize(after);
  return {now.minimum / old.minimum, now.minimum / old.upper_quartile,
          now.upper_quartile / old.minimum};
}

Change judge_change(std::span<const double> before, std::span<const double> after, double least) {
  const Ratio ratio = time_ratio(before, after);
  if (ratio.low > 1 && ratio.value > 1 + least) return Change::slower;
  if (ratio.high < 1 && ratio.value < 1 / (1 + least)) return Change::faster;
  return Change::within_noise;
}

}  // namespace skde::bench
