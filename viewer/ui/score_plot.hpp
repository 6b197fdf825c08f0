#pragma once

#include <imgui.h>

#include <optional>

#include "viewer/layers/method/method_picture.hpp"
#include "viewer/work/live_answers.hpp"
#include "viewer/work/questions.hpp"

namespace skde::view::ui {

/// The curve of scores over log h in a rectangle of pixels.
struct ScorePlot {
  ImVec2 upper_left, lower_right;
  float scale = 1;

  /// Draws the curve, with marks at the best h, at Silverman's, at the plug-in's, and at `h`.
  void draw(ImDrawList& list, const ScoreCurve& curve, std::optional<double> h) const;
  /// Returns the h at a pixel, not beyond the curve.
  double h_at(const ScoreCurve& curve, float x) const;

  /// Returns the pixel of an h; it may lie outside the rectangle.
  float x_of(const ScoreCurve& curve, double h) const;
};

/// Draws the plot in the upper left corner of a region, for pictures without panels.
void draw_score_overlay(const ScoreFacts& facts, ScoreShown shown, std::optional<double> h,
                        const PixelRegion& region, float scale);

/// Names the score, its best h, the h of the rules and the samples that score in one line.
std::string score_text(const ScoreCurve& curve, ScoreShown shown);

}  // namespace skde::view::ui
