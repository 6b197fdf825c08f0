#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/report/chart.hpp"
#include "bench/report/chart_scale.hpp"
#include "bench/report/label_placement.hpp"
#include "pictures/picture_canvas.hpp"

namespace skde::bench {

/// Pixels of a chart; the height grows where the labels of many lines need it.
struct ChartSize {
  int width = 800, height = 500;
};

/// Pixels that a text in a style is long.
using TextMeasure = std::function<double(const std::string& text, const TextStyle& style)>;

struct PlacedText {
  double x = 0, y = 0;  ///< of the anchor, in the middle of the text's height
  std::string text;
  TextStyle style;
  bool muted = false;
  double angle = 0;  ///< radians, clockwise
};

/// The label of a line at the right of the plot, and the point of the line that it belongs to.
struct EndLabel {
  double from_x = 0, from_y = 0;     ///< the end of the line
  double x = 0, y = 0;               ///< the left end of the label
  std::optional<std::size_t> style;  ///< of the series; none for a reference line
};

/// A thin line between a point and a label that had no room beside it.
struct PointLeader {
  double from_x = 0, from_y = 0, x = 0, y = 0;
};

/// Where everything on a chart stands.
struct ChartLayout {
  int width = 0, height = 0;
  Box plot;
  ChartScale x, y;
  ChartTicks x_ticks, y_ticks;
  std::vector<PlacedText> texts;
  std::vector<EndLabel> end_labels;
  std::vector<PointLeader> leaders;
};

inline constexpr double kMarkerRadius = 4.2;

ChartLayout lay_out(const Chart& chart, ChartSize size, const TextMeasure& measure);

/// The box that a text covers; of a turned one the box around it.
Box text_box(const PlacedText& text, const TextMeasure& measure);

/// The points of a series that the axes can show.
std::vector<ChartPoint> shown_points(const std::vector<ChartPoint>& points, const ChartScale& x,
                                     const ChartScale& y);

}  // namespace skde::bench
