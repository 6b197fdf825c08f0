#include "pictures/score_picture.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "core/report/error.hpp"
#include "io/bytes/output_file.hpp"
#include "pictures/picture_axes.hpp"
#include "pictures/png_file.hpp"

namespace skde {

std::pair<double, double> shown_scores(const std::vector<ScoreChart::Point>& points,
                                       const ScoreChart::Point& best) {
  constexpr double kMargin = 0.06, kNear = 2, kRoom = 0.2;
  double least = best.score, near = best.score, most = best.score;
  for (const auto& p : points) {
    least = std::min(least, p.score);
    most = std::max(most, p.score);
    if (p.h >= best.h / kNear && p.h <= best.h * kNear) near = std::max(near, p.score);
  }
  if (near - least < kRoom * (most - least)) most = near;
  const double margin = most > least ? kMargin * (most - least) : 1;
  return {least - margin, most + margin};
}

#if SKDE_HAS_PICTURES

namespace {

constexpr int kWidth = 900, kHeight = 560;
constexpr Rectangle kPanel{116, 84, 750, 392};
constexpr Color kCurve{49, 104, 142}, kBest{190, 40, 40}, kFaint{170, 170, 170};
constexpr TextStyle kTitle{.size = 20, .bold = true};
constexpr TextStyle kFacts{.size = 15};

std::vector<ScoreChart::Point> finite_points(const ScoreChart& chart) {
  std::vector<ScoreChart::Point> points;
  std::ranges::copy_if(chart.curve, std::back_inserter(points),
                       [](const ScoreChart::Point& p) { return std::isfinite(p.score); });
  if (points.size() < 2)
    throw Error(ErrorKind::input, "fewer than two scores are finite, so there is no curve to draw",
                {{}, "use other bandwidths, or more samples"});
  return points;
}

/// The logarithms of the first and the last bandwidth at which the curve is not above `highest`.
std::pair<double, double> shown_bandwidths(const std::vector<ScoreChart::Point>& points,
                                           double highest) {
  const auto is_shown = [&](const ScoreChart::Point& p) { return p.score <= highest; };
  const auto crossing = [&](const ScoreChart::Point& above, const ScoreChart::Point& below) {
    const double share = (highest - below.score) / (above.score - below.score);
    return std::log10(below.h) + share * std::log10(above.h / below.h);
  };
  const auto first = std::ranges::find_if(points, is_shown);
  const auto last = std::find_if(points.rbegin(), points.rend(), is_shown);
  if (first == points.end()) return {std::log10(points.front().h), std::log10(points.back().h)};
  return {first == points.begin() ? std::log10(first->h) : crossing(*(first - 1), *first),
          last == points.rbegin() ? std::log10(last->h) : crossing(*(last - 1), *last)};
}

class ScoreDrawing {
 public:
  ScoreDrawing(PictureCanvas& canvas, const ScoreChart& chart)
      : canvas_(canvas), chart_(chart), points_(finite_points(chart)) {
    const auto [low, high] = shown_scores(points_, chart.best);
    const auto [lower, upper] = shown_bandwidths(points_, high);
    x_ = {.lower = lower, .upper = upper, .ticks = {}, .caption = chart.h_name};
    x_.ticks = choose_log_ticks(std::pow(10, lower), std::pow(10, upper), 8);
    for (double& position : x_.ticks.positions) position = std::log10(position);
    for (double& position : x_.ticks.minor) position = std::log10(position);
    y_ = fit_vertical_axis(low, high, kPanel.height);
    y_.caption = axis_caption(chart.score_name, y_.ticks, "");
  }

  void draw() {
    canvas_.text_within(kWidth - 48, 24, 28, chart_.title, kTitle);
    canvas_.text_within(kWidth - 48, 24, 56, chart_.facts, kFacts);
    canvas_.frame(kPanel);
    draw_bottom_axis(canvas_, kPanel, x_);
    draw_left_axis(canvas_, kPanel, y_, 26);
    const double best_x = at(chart_.best).x;
    canvas_.curve({{best_x, double(kPanel.y)}, {best_x, double(kPanel.bottom())}}, 1, kFaint);
    draw_curve();
    canvas_.disc(at(chart_.best), 6, kBest);
  }

 private:
  /// The point lies above the panel if the score does.
  PicturePoint at(const ScoreChart::Point& p) const {
    const double x = (std::log10(p.h) - x_.lower) / (x_.upper - x_.lower);
    const double y = (p.score - y_.lower) / (y_.upper - y_.lower);
    return {kPanel.x + x * kPanel.width, kPanel.bottom() - y * kPanel.height};
  }

  /// Draws the curve, cut off at the upper edge.
  void draw_curve() {
    std::vector<PicturePoint> line;
    const auto flush = [&] {
      if (line.size() > 1) canvas_.curve(line, 2, kCurve);
      line.clear();
    };
    for (std::size_t i = 0; i < points_.size(); ++i) {
      const PicturePoint here = at(points_[i]);
      const bool inside = here.y >= kPanel.y;
      if (i > 0) {
        const PicturePoint before = at(points_[i - 1]);
        if (inside != (before.y >= kPanel.y)) {
          const double share = (kPanel.y - before.y) / (here.y - before.y);
          line.push_back({before.x + share * (here.x - before.x), double(kPanel.y)});
          if (!inside) flush();
        }
      }
      if (inside) line.push_back(here);
    }
    flush();
    for (const ScoreChart::Point& p : points_)
      if (const PicturePoint here = at(p); here.y >= kPanel.y) canvas_.disc(here, 3, kCurve);
  }

  PictureCanvas& canvas_;
  const ScoreChart& chart_;
  std::vector<ScoreChart::Point> points_;
  PictureAxis x_, y_;
};

}  // namespace

void write_score_picture(const std::string& path, const ScoreChart& chart) {
  PictureCanvas canvas = canvas_for(path, kWidth, kHeight);
  ScoreDrawing(canvas, chart).draw();
  write_canvas(canvas, path);
}

#else

void write_score_picture(const std::string& path, const ScoreChart& /*chart*/) {
  throw Error(ErrorKind::unsupported, fmt::format("{}: this build cannot write pictures", path),
              {"picture", "configure it with SKDE_WITH_PICTURES=ON and cairo"});
}

#endif

}  // namespace skde
