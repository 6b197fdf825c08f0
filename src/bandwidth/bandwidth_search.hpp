#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <vector>

namespace skde {

/// A bandwidth and its score.
struct ScoredBandwidth {
  double h = 0, score = 0;
};

/// Where the least score is looked for.
struct SearchSpec {
  double lower = 0, upper = 0;  ///< the first bandwidths of the curve
  double ratio = 1.25;          ///< of neighbours on the curve, at the most
  /// The curve goes on by itself up to this factor beyond an end that its least score is near; 1:
  /// it ends where it was told to.
  double beyond = 100;
  /// From above, the curve ends where h is below that of the least score by this factor.
  double enough_below = std::numeric_limits<double>::infinity();
};

struct SearchResult {
  std::vector<ScoredBandwidth> curve;  ///< all that were scored, by h
  /// The least score that has higher ones on both sides; of several the least. None where the
  /// curve falls to one of its ends.
  std::optional<ScoredBandwidth> least;
  bool falls_to_lower_end = false;  ///< where there is none, or a score there is below it
};

/// The least score: bandwidths at equal ratios bracket it, and parabolas of log h through the ends
/// and the middle of the bracket, or a golden section where these do not shrink it, refine h to
/// 3e-4 of itself: what it scatters by from cloud to cloud are percents.
SearchResult search_bandwidth(const std::function<double(double)>& score, const SearchSpec& spec);

}  // namespace skde
