#pragma once

#include <string>
#include <utility>
#include <vector>

namespace skde {

/// A curve of scores over bandwidths, and the best bandwidth found.
struct ScoreChart {
  struct Point {
    double h = 0, score = 0;
  };
  std::vector<Point> curve;  ///< sorted by h, which is above 0; non-finite scores are left out
  Point best;
  std::string title, facts;  ///< one line each
  std::string score_name;
  std::string h_name = "bandwidth h";
};

/// Returns the least and the greatest score to show: all, unless that leaves little room for scores
/// of bandwidths near the best. `points` are finite.
std::pair<double, double> shown_scores(const std::vector<ScoreChart::Point>& points,
                                       const ScoreChart::Point& best);

/// Writes the chart, with h on a logarithmic axis, as SVG or PNG by the path's extension. The ends
/// of the curve are cut off if they rise so high that the least score would be lost beside them.
/// Throws Error(input) if fewer than two scores are finite,
/// Error(output) if writing fails, Error(unsupported) in a build without pictures.
void write_score_picture(const std::string& path, const ScoreChart& chart);

}  // namespace skde
