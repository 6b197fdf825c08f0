#pragma once

#include <optional>
#include <string>
#include <vector>

#include "pictures/color_map.hpp"

namespace skde {

/// The options of a picture.
struct PictureLook {
  std::string title{};            ///< empty: says what the values are
  std::optional<ColorMap> map{};  ///< none: one that suits the values
  bool log = false;               ///< colours by the logarithms of values
  std::vector<double> masses{};   ///< lines around the regions with these shares of the mass
  /// Names of the axes that run leftwards or downwards, or "none"; empty: see drawn_flips().
  std::vector<std::string> flipped{};
};

/// A line on a plane along which values are equal.
struct LevelLine {
  double level = 0;
  std::string label{};
};

/// Lines and points that are drawn on a plane.
struct PlaneMarks {
  std::vector<LevelLine> lines{};
  std::vector<double> samples{};  ///< x, y and z of each
};

}  // namespace skde
