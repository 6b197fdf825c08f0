#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace skde {

/// A bandwidth and its score.
struct ScoredBandwidth {
  double h = 0, score = 0;
};

/// Where to look for the lowest score.
struct SearchSpec {
  double lower = 0, upper = 0;  ///< range of the initial curve
  double ratio = 1.25;          ///< largest ratio of neighbours on the curve
  /// The curve extends itself by up to this factor beyond an end that its lowest score is near. 1:
  /// it keeps its range.
  double beyond = 100;
  /// From above, the curve ends once h is below that of the lowest score by this factor.
  double enough_below = std::numeric_limits<double>::infinity();
  std::size_t near = 2;  ///< the curve goes on if its lowest score is among so many at an end
  double same = 3e-4;    ///< share of h to which it is refined
};

struct SearchResult {
  std::vector<ScoredBandwidth> curve;  ///< all that were scored, sorted by h
  /// The lowest score between two higher ones. None if the curve falls to one of its ends.
  std::optional<ScoredBandwidth> least;
  bool falls_to_lower_end = false;  ///< the lowest score is at the lower end
};

/// Finds the lowest score. Bandwidths at equal ratios bracket it. Parabolas in log h through the
/// bracket then refine h to 3e-4 of itself (SearchSpec::same), or golden sections if parabolas do
/// not shrink the bracket. That suffices, as h varies by percents between clouds of one density.
SearchResult search_bandwidth(const std::function<double(double)>& score, const SearchSpec& spec);

}  // namespace skde
