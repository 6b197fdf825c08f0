#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace skde::bench {

enum class AxisScale { linear, log10 };

/// How the ticks of an axis are written.
enum class TickText {
  number,   ///< 0.5, 100, 10⁶; the units stand in the caption
  seconds,  ///< with the unit that fits: 10 µs, 1 ms
  factor    ///< ×10
};

struct ChartAxis {
  std::string name;   ///< what is drawn: "time"
  std::string units;  ///< behind the name in parentheses; empty where the ticks have them
  AxisScale scale = AxisScale::log10;
  TickText ticks = TickText::number;
};

/// A point and the interval lower..upper of y around it; both are y where nothing is known of it.
struct ChartPoint {
  double x = 0, y = 0;
  double lower = 0, upper = 0;
  std::string label;  ///< beside the point; for series that are not joined

  static ChartPoint plain(double x, double y, std::string label = {}) {
    return {x, y, y, y, std::move(label)};
  }
};

/// Points that belong together, in the order of x where they are joined by a line.
struct ChartSeries {
  std::string name;       ///< of the label at the line's end
  std::size_t style = 0;  ///< colour and marker; the same number looks the same on every chart
  std::vector<ChartPoint> points;
  bool joined = true;
};

/// A line of something that was not measured in the series, as a ceiling; `along` puts its label
/// over its middle, otherwise it stands at the right end.
struct ReferenceLine {
  std::string label;
  std::vector<ChartPoint> points;
  bool along = false;
};

/// What is drawn, without any pixel. Points with a coordinate that their axis cannot show (not
/// finite, or not above 0 on a logarithmic one) are left out.
struct Chart {
  std::string title;
  std::string subtitle;
  ChartAxis x, y;
  std::vector<ChartSeries> series;
  std::vector<ReferenceLine> references;
  std::vector<std::string> notes;  ///< under the chart: what is not on it, and why
};

}  // namespace skde::bench
