#include "viewer/ui/score_plot.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "cli/text/terminal_text.hpp"
#include "pictures/score_picture.hpp"
#include "viewer/ui/theme_drawing.hpp"

namespace skde::view::ui {
namespace {

constexpr float kOverlayWidth = 300, kOverlayHeight = 130;  // pixels at scale 1

std::vector<ScoreChart::Point> finite_scores(const ScoreCurve& curve) {
  std::vector<ScoreChart::Point> points;
  for (const ScoredBandwidth& scored : curve.curve)
    if (std::isfinite(scored.score)) points.push_back({scored.h, scored.score});
  return points;
}

/// A mark on the axis of h and its word.
struct ScoreMark {
  double h;
  const char* word;
  ImU32 color;
};

std::vector<ScoreMark> score_marks(const ScoreCurve& curve) {
  const ImU32 rule = packed(theme_inks().quiet), best = packed(theme_inks().best);
  std::vector<ScoreMark> marks;
  if (curve.silverman) marks.push_back({*curve.silverman, "Silverman", rule});
  if (curve.plug_in) marks.push_back({*curve.plug_in, "plug-in", rule});
  marks.push_back({curve.best.h, "best", best});
  return marks;
}

}  // namespace

float ScorePlot::x_of(const ScoreCurve& curve, double h) const {
  const double low = std::log(curve.curve.front().h), high = std::log(curve.curve.back().h);
  const double share = (std::log(h) - low) / std::max(high - low, 1e-12);
  return upper_left.x + static_cast<float>(share) * (lower_right.x - upper_left.x);
}

double ScorePlot::h_at(const ScoreCurve& curve, float x) const {
  const double low = std::log(curve.curve.front().h), high = std::log(curve.curve.back().h);
  const double share = (x - upper_left.x) / std::max(lower_right.x - upper_left.x, 1.0F);
  return std::exp(low + std::clamp(share, 0.0, 1.0) * (high - low));
}

void ScorePlot::draw(ImDrawList& list, const ScoreCurve& curve, std::optional<double> h) const {
  const std::vector<ScoreChart::Point> points = finite_scores(curve);
  list.AddRectFilled(upper_left, lower_right, packed(theme_inks().plate), 3 * scale);
  if (points.size() < 2) return;
  const auto [low, high] = shown_scores(points, {curve.best.h, curve.best.score});
  const double least = low, range = high - low;
  const auto y_of = [&](double score) {
    const auto share = static_cast<float>((score - least) / range);
    return lower_right.y - share * (lower_right.y - upper_left.y);
  };
  list.PushClipRect(upper_left, lower_right, true);
  const std::vector<ScoreMark> marks = score_marks(curve);
  const auto place = [&](double at) { return std::round(x_of(curve, at)); };
  for (const ScoreMark& mark : marks)
    list.AddLine({place(mark.h), upper_left.y}, {place(mark.h), lower_right.y}, mark.color, scale);
  std::vector<ImVec2> line;
  for (const ScoreChart::Point& point : points)
    line.push_back({x_of(curve, point.h), y_of(point.score)});
  list.AddPolyline(line.data(), static_cast<int>(line.size()), packed(theme_inks().curve), 0,
                   2 * scale);
  list.AddCircleFilled({x_of(curve, curve.best.h), y_of(curve.best.score)}, 4 * scale,
                       packed(theme_inks().best));
  if (h)
    list.AddLine({place(*h), upper_left.y}, {place(*h), lower_right.y}, packed(theme_inks().strong),
                 2 * scale);
  float word_top = upper_left.y + 2 * scale;  // each word on a line of its own
  for (const ScoreMark& mark : marks) {
    const float x = place(mark.h), width = ImGui::CalcTextSize(mark.word).x, gap = 3 * scale;
    const float left = x + gap + width > lower_right.x ? x - gap - width : x + gap;
    draw_outlined_text(list, mark.word, {left, word_top}, {0, 0}, mark.color, scale);
    word_top += ImGui::GetFontSize();
  }
  list.PopClipRect();
}

std::string score_text(const ScoreCurve& curve, ScoreShown shown) {
  std::string text = fmt::format("{}: best h = {:.4g}", word_of(kScoresShown, shown), curve.best.h);
  if (curve.plug_in) text += fmt::format(", plug-in {:.4g}", *curve.plug_in);
  if (curve.silverman) text += fmt::format(", Silverman {:.4g}", *curve.silverman);
  if (curve.judges < curve.samples)
    text += fmt::format("; scored by {} of {} samples, drawn at random",
                        cli::format_count(curve.judges), cli::format_count(curve.samples));
  return text;
}

void draw_score_overlay(const ScoreFacts& facts, ScoreShown shown, std::optional<double> h,
                        const PixelRegion& region, float scale) {
  if (!facts.curve || facts.curve->curve.size() < 2) return;
  const ScoreCurve& curve = *facts.curve;
  const float letter = ImGui::GetFontSize(), gap = 8 * scale;
  const glm::vec2 corner(region.corner), size(region.size);
  const float width = std::min(kOverlayWidth * scale, size.x - 2 * gap);
  const float height = kOverlayHeight * scale;
  if (height + 2 * letter + gap > size.y / 2 || width < 12 * letter) return;  // no room
  const ImVec2 low{corner.x + gap, corner.y + gap}, high{low.x + width, low.y + height};
  ImDrawList& list = *ImGui::GetBackgroundDrawList();
  ScorePlot{low, high, scale}.draw(list, curve, h);
  const auto text = [&](const std::string& words, float x, float anchor) {
    draw_outlined_text(list, words, {x, high.y + 0.2F * letter}, {anchor, 0},
                       ImGui::GetColorU32(ImGuiCol_Text), scale);
  };
  text(fmt::format("{:.3g}", curve.curve.front().h), low.x, 0);
  text(fmt::format("h, by {}", word_of(kScoresShown, shown)), (low.x + high.x) / 2, 0.5F);
  text(fmt::format("{:.3g}", curve.curve.back().h), high.x, 1);
}

}  // namespace skde::view::ui
