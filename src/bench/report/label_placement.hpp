#pragma once

#include <vector>

namespace skde::bench {

/// A box on the picture, in pixels; y grows downwards.
struct Box {
  double x = 0, y = 0, width = 0, height = 0;

  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

bool overlap(const Box& a, const Box& b);

/// Where labels of this height stand in a column: each as near as possible to its wanted centre (in
/// squares of the distances, in the wanted order), no two nearer than `height`, all within
/// lower..upper. Where they do not fit they keep their distance and run over the upper end.
std::vector<double> push_apart(const std::vector<double>& wanted, double height, double lower,
                               double upper);

struct LabelAnchor {
  double x = 0, y = 0;           ///< what the label belongs to
  double width = 0, height = 0;  ///< of the label
};

/// A box for the label of each anchor, beside it where there is room, further away otherwise; in
/// `area`, clear of each other, of the obstacles and of `radius` pixels around every anchor. A
/// label for which the area has no room is left out: its box has no width.
std::vector<Box> place_beside(const std::vector<LabelAnchor>& anchors, double radius,
                              const Box& area, const std::vector<Box>& obstacles = {});

}  // namespace skde::bench
