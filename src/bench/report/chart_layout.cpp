#include "bench/report/chart_layout.hpp"

#include <algorithm>
#include <cmath>

#include "bench/report/text_lines.hpp"

namespace skde::bench {
namespace {

constexpr double kMargin = 16;
constexpr double kLineHeight = 16;    // of the small texts
constexpr double kLabelHeight = 16;   // between labels of lines
constexpr double kTickGap = 8;        // between a tick label and the plot
constexpr double kColumnGap = 18;     // between the plot and the labels at its right
constexpr double kMarkerColumn = 14;  // of the marker before a label
constexpr double kNoteGap = 8;        // above the notes
constexpr double kEarlyEnd = 0.1;     // of the width: lines that end this much before others
constexpr std::size_t kMostNoteLines = 3;

constexpr TextStyle kTitle{.size = 16, .bold = true};
constexpr TextStyle kSmall{.size = 12};
constexpr TextStyle kNote{.size = 12};
constexpr TextStyle kTick{.size = 12};
constexpr TextStyle kLabel{.size = 12};
constexpr double kSmallestTitle = 13.5;
constexpr double kTitleHeight = 19;  // a line

TextStyle anchored(TextStyle style, Anchor anchor) {
  style.anchor = anchor;
  return style;
}

std::vector<double> values_of(const Chart& chart, double ChartPoint::*coordinate, bool bounds) {
  std::vector<double> values;
  const auto add = [&](const std::vector<ChartPoint>& points) {
    for (const ChartPoint& point : points) {
      values.push_back(point.*coordinate);
      if (bounds) values.insert(values.end(), {point.lower, point.upper});
    }
  };
  for (const ChartSeries& series : chart.series) add(series.points);
  for (const ReferenceLine& line : chart.references) add(line.points);
  return values;
}

std::string caption_of(const ChartAxis& axis) {
  return axis.units.empty() ? axis.name : axis.name + " (" + axis.units + ")";
}

/// What stands at the right end of the plot.
struct ColumnEntry {
  std::string text;
  ChartPoint end;
  std::optional<std::size_t> style;
};

class Composer {
 public:
  Composer(const Chart& chart, ChartSize size, const TextMeasure& measure)
      : chart_(chart),
        measure_(measure),
        layout_{size.width,
                size.height,
                {},
                {chart.x, values_of(chart, &ChartPoint::x, false), false},
                {chart.y, values_of(chart, &ChartPoint::y, true), true},
                {},
                {},
                {},
                {},
                {}} {}

  ChartLayout compose() {
    collect_column();
    const double top = place_head();
    const double right = layout_.width - kMargin - column_width();
    const std::vector<std::string> notes = note_lines();
    const double foot =
        2 * kLineHeight + kMargin +
        (notes.empty() ? 0 : kNoteGap + static_cast<double>(notes.size()) * kLineHeight);
    const double wanted =
        std::max(layout_.height - top - foot,
                 static_cast<double>(column_.size() + early_.size() + 1) * kLabelHeight);
    layout_.height = static_cast<int>(std::ceil(top + wanted + foot));
    choose_y_ticks(top, wanted);
    const double left = kMargin + y_label_width() + kTickGap;
    layout_.plot = {left, top, right - left, wanted};
    choose_x_ticks();
    place_tick_labels();
    place_notes(notes);
    place_along_labels();
    place_inner_labels();
    place_column();
    return std::move(layout_);
  }

 private:
  void put(double x, double y, std::string text, const TextStyle& style, bool muted,
           double angle = 0) {
    layout_.texts.push_back({x, y, std::move(text), style, muted, angle});
  }

  /// Sorts the lines into those that end at the right and those that end well before.
  void collect_column() {
    double furthest = 0;
    std::vector<ColumnEntry> ends;
    for (const ChartSeries& series : chart_.series) {
      const auto points = shown_points(series.points, layout_.x, layout_.y);
      if (!series.joined || points.empty()) continue;
      ends.push_back({series.name, points.back(), series.style});
      furthest = std::max(furthest, layout_.x.share(points.back().x));
    }
    for (ColumnEntry& end : ends)
      (layout_.x.share(end.end.x) < furthest - kEarlyEnd ? early_ : column_)
          .push_back(std::move(end));
    for (const ReferenceLine& line : chart_.references)
      if (!line.along && !line.points.empty() && !line.label.empty())
        column_.push_back({line.label, line.points.back(), {}});
  }

  /// Also of the lines that end early, since there may be no room for their labels in the plot.
  double column_width() const {
    double width = 0;
    for (const auto* const entries : {&column_, &early_})
      for (const ColumnEntry& entry : *entries)
        width = std::max(width, measure_(entry.text, kLabel) + kMarkerColumn);
    return width > 0 ? width + kColumnGap : 0;
  }

  /// Title, subtitle and the caption of y; returns where the plot begins.
  double place_head() {
    const double room = layout_.width - 2 * kMargin;
    TextStyle title = kTitle;
    if (const double width = measure_(chart_.title, title); width > room)
      title.size = std::max(kSmallestTitle, title.size * room / width);
    double y = kMargin + 6 - kTitleHeight;
    for (std::string& line : wrapped(chart_.title, room, title, 2, measure_))
      put(kMargin, y += kTitleHeight, std::move(line), title, false);
    y += 4;
    if (!chart_.subtitle.empty())
      for (std::string& line : wrapped(chart_.subtitle, room, kSmall, 2, measure_))
        put(kMargin, y += kLineHeight, std::move(line), kSmall, true);
    put(kMargin, y += kLineHeight + 6, caption_of(chart_.y), kSmall, false);
    return y + kLineHeight + 2;
  }

  std::vector<std::string> note_lines() const {
    std::vector<std::string> lines;
    for (const std::string& note : chart_.notes) {
      if (lines.size() == kMostNoteLines) break;
      for (std::string& line : wrapped(note, layout_.width - 2 * kMargin, kNote,
                                       kMostNoteLines - lines.size(), measure_))
        lines.push_back(std::move(line));
    }
    return lines;
  }

  void place_notes(std::vector<std::string> lines) {
    double y =
        layout_.height - kMargin / 2 - (static_cast<double>(lines.size()) - 0.5) * kLineHeight;
    for (std::string& line : lines) {
      put(kMargin, y, std::move(line), kNote, true);
      y += kLineHeight;
    }
  }

  void choose_y_ticks(double top, double height) {
    layout_.y.place(top + height, top);
    for (int most = std::max(2, static_cast<int>(height / 36)); most >= 2; --most) {
      layout_.y_ticks = layout_.y.ticks(most);
      if (apart(layout_.y_ticks, layout_.y, [](const std::string&) { return kLineHeight; })) return;
    }
  }

  void choose_x_ticks() {
    layout_.x.place(layout_.plot.x, layout_.plot.right());
    for (int most = std::max(2, static_cast<int>(layout_.plot.width / 48)); most >= 2; --most) {
      layout_.x_ticks = layout_.x.ticks(most);
      if (apart(layout_.x_ticks, layout_.x,
                [&](const std::string& text) { return measure_(text, kTick) + 10; }))
        return;
    }
  }

  template <class Extent>
  static bool apart(const ChartTicks& ticks, const ChartScale& scale, Extent extent) {
    for (std::size_t i = 1; i < ticks.positions.size(); ++i) {
      const double room =
          std::abs(scale.pixel(ticks.positions[i]) - scale.pixel(ticks.positions[i - 1]));
      if (room < 0.5 * (extent(ticks.labels[i]) + extent(ticks.labels[i - 1]))) return false;
    }
    return true;
  }

  double y_label_width() const {
    double width = 0;
    for (const std::string& label : layout_.y_ticks.labels)
      width = std::max(width, measure_(label, kTick));
    return width;
  }

  void place_tick_labels() {
    const Box& plot = layout_.plot;
    for (std::size_t i = 0; i < layout_.y_ticks.labels.size(); ++i)
      put(plot.x - kTickGap, layout_.y.pixel(layout_.y_ticks.positions[i]),
          layout_.y_ticks.labels[i], anchored(kTick, Anchor::end), true);
    for (std::size_t i = 0; i < layout_.x_ticks.labels.size(); ++i)
      put(layout_.x.pixel(layout_.x_ticks.positions[i]), plot.bottom() + kTickGap + 6,
          layout_.x_ticks.labels[i], anchored(kTick, Anchor::middle), true);
    put(plot.x + plot.width / 2, plot.bottom() + 2 * kLineHeight + 2, caption_of(chart_.x),
        anchored(kSmall, Anchor::middle), false);
  }

  void place_column() {
    std::vector<double> wanted;
    for (const ColumnEntry& entry : column_) wanted.push_back(layout_.y.pixel(entry.end.y));
    const Box& plot = layout_.plot;
    const std::vector<double> centres = push_apart(wanted, kLabelHeight, plot.y - kLabelHeight / 2,
                                                   plot.bottom() + kLabelHeight / 2);
    const double x = plot.right() + kColumnGap;
    for (std::size_t i = 0; i < column_.size(); ++i) {
      layout_.end_labels.push_back(
          {layout_.x.pixel(column_[i].end.x), wanted[i], x, centres[i], column_[i].style});
      put(x + (column_[i].style ? kMarkerColumn - 4 : 0), centres[i], column_[i].text, kLabel,
          !column_[i].style);
    }
  }

  /// Labels over the middle of reference lines, turned as these are.
  void place_along_labels() {
    for (const ReferenceLine& line : chart_.references) {
      if (!line.along || line.points.size() < 2) continue;
      const ChartPoint &a = line.points[0], &b = line.points[1];
      const double x0 = layout_.x.pixel(a.x), x1 = layout_.x.pixel(b.x);
      const double y0 = layout_.y.pixel(a.y), y1 = layout_.y.pixel(b.y);
      const double angle = std::atan2(y1 - y0, x1 - x0);
      put(0.5 * (x0 + x1) + 9 * std::sin(angle), 0.5 * (y0 + y1) - 9 * std::cos(angle), line.label,
          anchored(kSmall, Anchor::middle), true, angle);
    }
  }

  /// Boxes around the short pieces of a line.
  void add_pieces(const std::vector<ChartPoint>& points, std::vector<Box>& boxes) const {
    constexpr double kPiece = 8;
    for (std::size_t i = 1; i < points.size(); ++i) {
      const double x0 = layout_.x.pixel(points[i - 1].x), y0 = layout_.y.pixel(points[i - 1].y);
      const double dx = layout_.x.pixel(points[i].x) - x0;
      const double dy = layout_.y.pixel(points[i].y) - y0;
      const int pieces = 1 + static_cast<int>(std::hypot(dx, dy) / kPiece);
      for (int k = 0; k < pieces; ++k) {
        const double x = x0 + dx * k / pieces, y = y0 + dy * k / pieces;
        boxes.push_back({std::min(x, x + dx / pieces), std::min(y, y + dy / pieces) - 1,
                         std::abs(dx) / pieces, std::abs(dy) / pieces + 2});
      }
    }
  }

  /// What labels in the plot keep clear of: lines, points, and the labels of reference lines.
  std::vector<Box> obstacles() const {
    std::vector<Box> boxes;
    for (const ReferenceLine& line : chart_.references)
      add_pieces(shown_points(line.points, layout_.x, layout_.y), boxes);
    for (const ChartSeries& series : chart_.series) {
      const std::vector<ChartPoint> points = shown_points(series.points, layout_.x, layout_.y);
      if (series.joined) add_pieces(points, boxes);
      for (const ChartPoint& point : points)
        boxes.push_back({layout_.x.pixel(point.x) - kMarkerRadius - 1,
                         layout_.y.pixel(point.y) - kMarkerRadius - 1, 2 * kMarkerRadius + 2,
                         2 * kMarkerRadius + 2});
    }
    for (const PlacedText& text : layout_.texts)
      if (text.angle != 0) boxes.push_back(text_box(text, measure_));
    return boxes;
  }

  /// Labels beside their points: of points that have one, and of lines that end early.
  void place_inner_labels() {
    std::vector<ColumnEntry> labels = early_;
    for (const ChartSeries& series : chart_.series)
      if (!series.joined)
        for (const ChartPoint& point : shown_points(series.points, layout_.x, layout_.y))
          if (!point.label.empty()) labels.push_back({point.label, point, series.style});
    std::vector<LabelAnchor> anchors;
    anchors.reserve(labels.size());
    for (const ColumnEntry& label : labels)
      anchors.push_back({layout_.x.pixel(label.end.x), layout_.y.pixel(label.end.y),
                         measure_(label.text, kLabel) + 4, kLineHeight - 1});
    const std::vector<Box> boxes =
        place_beside(anchors, kMarkerRadius + 1, layout_.plot, obstacles());
    for (std::size_t i = 0; i < boxes.size(); ++i) {
      if (boxes[i].width > 0)
        put_inner_label(anchors[i], boxes[i], labels[i].text);
      else if (i < early_.size())
        column_.push_back(labels[i]);
    }
  }

  void put_inner_label(const LabelAnchor& anchor, const Box& box, const std::string& text) {
    put(box.x + 2, box.y + box.height / 2, text, kLabel, false);
    const double x = std::clamp(anchor.x, box.x, box.right());
    const double y = std::clamp(anchor.y, box.y, box.bottom());
    if (std::hypot(x - anchor.x, y - anchor.y) > 3 * kMarkerRadius)
      layout_.leaders.push_back({anchor.x, anchor.y, x, y});
  }

  const Chart& chart_;
  const TextMeasure& measure_;
  ChartLayout layout_;
  std::vector<ColumnEntry> column_, early_;  // labels at the right, and of lines that end early
};

}  // namespace

ChartLayout lay_out(const Chart& chart, ChartSize size, const TextMeasure& measure) {
  return Composer(chart, size, measure).compose();
}

Box text_box(const PlacedText& text, const TextMeasure& measure) {
  const double width = measure(text.text, text.style), height = text.style.size;
  const double shift = text.style.anchor == Anchor::begin    ? width / 2
                       : text.style.anchor == Anchor::middle ? 0
                                                             : -width / 2;
  const double along = std::abs(std::cos(text.angle)), across = std::abs(std::sin(text.angle));
  const double w = width * along + height * across, h = width * across + height * along;
  const double x = text.x + shift * std::cos(text.angle), y = text.y + shift * std::sin(text.angle);
  return {x - w / 2, y - h / 2, w, h};
}

std::vector<ChartPoint> shown_points(const std::vector<ChartPoint>& points, const ChartScale& x,
                                     const ChartScale& y) {
  std::vector<ChartPoint> shown;
  for (const ChartPoint& point : points)
    if (x.can_show(point.x) && y.can_show(point.y)) shown.push_back(point);
  return shown;
}

}  // namespace skde::bench
