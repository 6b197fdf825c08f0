#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/report/chart_style.hpp"
#include "pictures/picture_canvas.hpp"

namespace skde::bench {

enum class ChartFormat { svg, png };

/// A place on a chart in pixels; y grows downwards.
struct Place {
  double x = 0, y = 0;
};

struct Stroke {
  Color color;
  double width = 1;
  std::vector<double> dashes{};  ///< lengths drawn and left out in turn; none: drawn throughout
};

/// Device pixels of a PNG along each pixel of the chart, so that it is sharp on fine screens.
inline constexpr int kPngScale = 2;

/// What charts are drawn on, alike for SVG and PNG. Text is drawn as outlines, so a chart looks
/// the same where the fonts are not.
class ChartCanvas {
 public:
  /// Throws Error(resources) where there is no memory for it.
  ChartCanvas(ChartFormat format, int width, int height, Color background);
  ~ChartCanvas();
  ChartCanvas(const ChartCanvas&) = delete;
  ChartCanvas& operator=(const ChartCanvas&) = delete;

  void line(const std::vector<Place>& places, const Stroke& look);
  /// Lines that do not hang together, in one stroke.
  void lines(const std::vector<std::pair<Place, Place>>& ends, const Stroke& look);
  void area(const std::vector<Place>& outline, Color color, double opacity);
  void marker(Marker shape, Place centre, double radius, Color color, Color background);
  double text_width(const std::string& text, const TextStyle& style) const;
  /// Text centred across its direction on the point; `angle` in radians, clockwise.
  void text(Place at, const std::string& text, const TextStyle& style, Color color,
            double angle = 0);

  /// The bytes of the file; nothing can be drawn any more.
  std::string finish();

 private:
  struct Release {
    void operator()(_cairo* context) const;
    void operator()(_cairo_surface* surface) const;
  };
  void path(const std::vector<Place>& places);
  void stroke(const Stroke& look);

  ChartFormat format_;
  std::string bytes_;
  std::unique_ptr<_cairo_surface, Release> surface_;
  std::unique_ptr<_cairo, Release> context_;
};

}  // namespace skde::bench
