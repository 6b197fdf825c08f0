#include "bench/report/chart_drawing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/output_file.hpp"

namespace skde::bench {
namespace {

constexpr double kLineWidth = 2;
constexpr double kSpreadOpacity = 0.2;
constexpr double kWhisker = 4;  // half the width of the ends of an interval around a lone point

class Drawing {
 public:
  Drawing(ChartCanvas& canvas, const Chart& chart, const ChartLayout& layout,
          const ChartTheme& theme)
      : canvas_(canvas), chart_(chart), layout_(layout), theme_(theme) {}

  void draw() {
    draw_grid();
    for (const ReferenceLine& line : chart_.references) draw_reference(line);
    for (const ChartSeries& series : chart_.series) draw_spread(series);
    for (const EndLabel& label : layout_.end_labels) draw_leader(label);
    for (const PointLeader& leader : layout_.leaders)
      canvas_.line({{leader.from_x, leader.from_y}, {leader.x, leader.y}}, {theme_.muted, 0.7});
    for (const ChartSeries& series : chart_.series) draw_series(series);
    for (const PlacedText& text : layout_.texts)
      canvas_.text({text.x, text.y}, text.text, text.style, text.muted ? theme_.muted : theme_.ink,
                   text.angle);
  }

 private:
  Place place(double x, double y) const { return {layout_.x.pixel(x), layout_.y.pixel(y)}; }

  void draw_grid() {
    const Box& plot = layout_.plot;
    draw_grid_lines(layout_.x_ticks.minor, layout_.y_ticks.minor, theme_.minor_grid);
    draw_grid_lines(layout_.x_ticks.positions, layout_.y_ticks.positions, theme_.grid);
    canvas_.line({{plot.x, plot.y}, {plot.x, plot.bottom()}, {plot.right(), plot.bottom()}},
                 {theme_.muted, 1});
  }

  void draw_grid_lines(const std::vector<double>& xs, const std::vector<double>& ys, Color color) {
    const Box& plot = layout_.plot;
    std::vector<std::pair<Place, Place>> ends;
    for (const double value : xs) {
      const double x = layout_.x.pixel(value);
      ends.push_back({{x, plot.y}, {x, plot.bottom()}});
    }
    for (const double value : ys) {
      const double y = layout_.y.pixel(value);
      ends.push_back({{plot.x, y}, {plot.right(), y}});
    }
    canvas_.lines(ends, {color, 1});
  }

  void draw_reference(const ReferenceLine& line) {
    std::vector<Place> places;
    for (const ChartPoint& point : shown_points(line.points, layout_.x, layout_.y))
      places.push_back(place(point.x, point.y));
    canvas_.line(places, {theme_.muted, 1.3, {6, 4}});
  }

  /// The band between the bounds; a bar where there is but one point.
  void draw_spread(const ChartSeries& series) {
    const Color color = series_style(series.style, theme_).color;
    std::vector<Place> upper, lower;
    for (const ChartPoint& p : shown_points(series.points, layout_.x, layout_.y)) {
      if (!layout_.y.can_show(p.lower) || !layout_.y.can_show(p.upper)) continue;
      upper.push_back(place(p.x, p.upper));
      lower.push_back(place(p.x, p.lower));
    }
    if (series.joined && upper.size() > 1) {
      upper.insert(upper.end(), lower.rbegin(), lower.rend());
      return canvas_.area(upper, color, kSpreadOpacity);
    }
    for (std::size_t i = 0; i < upper.size(); ++i) {
      if (lower[i].y - upper[i].y < 1) continue;
      canvas_.line({upper[i], lower[i]}, {color, 1.2});
      for (const Place& end : {upper[i], lower[i]})
        canvas_.line({{end.x - kWhisker, end.y}, {end.x + kWhisker, end.y}}, {color, 1.2});
    }
  }

  /// From the end of a line to its label: dotted across the plot, then up or down to the label.
  void draw_leader(const EndLabel& label) {
    const Color color = label.style ? series_style(*label.style, theme_).color : theme_.muted;
    const double right = layout_.plot.right() + 2;
    if (right - label.from_x > 3 * kMarkerRadius)
      canvas_.line({{label.from_x, label.from_y}, {right, label.from_y}}, {color, 1, {1.5, 3}});
    canvas_.line({{std::max(label.from_x, right), label.from_y}, {label.x - 4, label.y}},
                 {color, 1});
    if (label.style) draw_marker({label.x, label.y}, *label.style);
  }

  void draw_series(const ChartSeries& series) {
    std::vector<Place> places;
    for (const ChartPoint& point : shown_points(series.points, layout_.x, layout_.y))
      places.push_back(place(point.x, point.y));
    if (series.joined) canvas_.line(places, {series_style(series.style, theme_).color, kLineWidth});
    for (const Place& at : places) draw_marker(at, series.style);
  }

  void draw_marker(Place at, std::size_t style) {
    const SeriesStyle look = series_style(style, theme_);
    canvas_.marker(look.marker, at, kMarkerRadius, look.color, theme_.background);
  }

  ChartCanvas& canvas_;
  const Chart& chart_;
  const ChartLayout& layout_;
  const ChartTheme& theme_;
};

ChartFormat format_of(const std::string& path) {
  if (path.ends_with(".svg")) return ChartFormat::svg;
  if (path.ends_with(".png")) return ChartFormat::png;
  throw Error(ErrorKind::usage,
              fmt::format("{}: a chart is written as .svg or .png; give one of them", path));
}

}  // namespace

bool can_draw_charts() { return true; }

std::string draw_chart(const Chart& chart, ChartFormat format, ChartSize size,
                       const ChartTheme& theme) {
  // Widths are the same on every canvas; the height is known once the labels stand.
  const ChartCanvas ruler(ChartFormat::png, 1, 1, theme.background);
  const ChartLayout layout =
      lay_out(chart, size, [&](const std::string& text, const TextStyle& style) {
        return ruler.text_width(text, style);
      });
  ChartCanvas canvas(format, layout.width, layout.height, theme.background);
  Drawing(canvas, chart, layout, theme).draw();
  return canvas.finish();
}

void write_chart(const Chart& chart, const std::string& path, ChartSize size,
                 const ChartTheme& theme) {
  const std::string bytes = draw_chart(chart, format_of(path), size, theme);
  io::OutputFile file(path);
  file.write(bytes);
  file.commit();
}

}  // namespace skde::bench
