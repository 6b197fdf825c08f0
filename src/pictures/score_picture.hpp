#pragma once

#include <string>
#include <vector>

namespace skde {

/// A curve of scores over bandwidths and where it was found to be best.
struct ScoreChart {
  struct Point {
    double h = 0, score = 0;
  };
  std::vector<Point> curve;  ///< by h, which is above 0; scores that are not finite are left out
  Point best;
  std::string title, facts;  ///< a line each
  std::string score_name;
  std::string h_name = "bandwidth h";
};

/// Writes it with axes, h on a logarithmic one: as SVG or PNG by the path's extension. What a curve
/// rises to at its ends is cut off where the least score would be lost beside it. Throws
/// Error(usage) for another extension, Error(input) where fewer than two scores are finite,
/// Error(output) where writing fails, Error(unsupported) in a build without pictures.
void write_score_picture(const std::string& path, const ScoreChart& chart);

}  // namespace skde
