// The curve of scores against bandwidths, and how much of its frame it fills.

#include <algorithm>
#include <cmath>

#include "pictures/png_file.hpp"
#include "pictures/score_picture.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace skde;
using namespace skde::test;

#if SKDE_HAS_PICTURES

namespace {

using Score = double (*)(double h);

/// A chart of 30 bandwidths from `least` to `most`.
ScoreChart chart_of(Score score, double least, double most) {
  ScoreChart chart{.curve = {},
                   .best = {least, score(least)},
                   .title = "t",
                   .facts = "f",
                   .score_name = "score"};
  for (int i = 0; i < 30; ++i) {
    const double h = least * std::pow(most / least, i / 29.0);
    chart.curve.push_back({h, score(h)});
    if (score(h) < chart.best.score) chart.best = chart.curve.back();
  }
  return chart;
}

/// Returns width and height of the pixels that have the colour of the curve.
std::pair<int, int> extent_of_curve(const ScoreChart& chart) {
  const TemporaryFolder folder;
  write_score_picture(folder.path("score.png"), chart);
  const Picture picture = read_png(folder.path("score.png"));
  int left = picture.width, right = -1, top = picture.height, bottom = -1;
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      const auto& [red, green, blue, alpha] =
          picture.pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(picture.width) +
                         static_cast<std::size_t>(x)];
      if (red != 49 || green != 104 || blue != 142) continue;
      left = std::min(left, x), right = std::max(right, x);
      top = std::min(top, y), bottom = std::max(bottom, y);
    }
  return {right - left, bottom - top};
}

}  // namespace

TEST_CASE("a curve of scores fills its frame, wherever its least is and whatever it rises to") {
  const Score squares = [](double h) { return std::pow(h, 4) + 0.001 / std::pow(h, 3); };
  const Score rising = [](double h) { return -1 / (1 + h * h); };
  const Score steep = [](double h) { return 1e6 * std::pow(std::max(0.0, h - 0.3), 2) + h; };
  const Score likelihood = [](double h) { return 1 / std::pow(h, 8) + std::log(h); };
  constexpr int kWidth = 750, kHeight = 392;  // size of the frame
  for (const Score score : {squares, rising, steep, likelihood}) {
    const auto [width, height] = extent_of_curve(chart_of(score, 0.05, 5));
    CHECK(width > 0.9 * kWidth);
    CHECK(width <= kWidth + 8);
    CHECK(height > 0.8 * kHeight);
    CHECK(height <= kHeight + 8);
  }
}

#endif
