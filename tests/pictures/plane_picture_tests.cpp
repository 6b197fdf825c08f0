#include "pictures/color_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "pictures/picture_captions.hpp"
#include "pictures/plane_picture.hpp"
#include "pictures/png_file.hpp"
#include "pictures/score_picture.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

using namespace skde;
using namespace skde::test;

#if SKDE_HAS_PICTURES

namespace {

using Pixel = std::array<std::uint8_t, 4>;

Pixel pixel_of(double value) {
  const Color color = map_color(value);
  return {color.red, color.green, color.blue, 255};
}

/// Draws planes of nx * ny cells; all values of plane i are i + 1.
Picture picture_of(int planes, std::int64_t nx, std::int64_t ny, Vec3 spacing = {1, 1, 1}) {
  PlaneSheet sheet{
      .title = "planes", .captions = {}, .planes = {}, .quantity = "density", .unit = "m"};
  for (int i = 0; i < planes; ++i) {
    sheet.planes.push_back(
        {0, 1, nx, ny,
         std::vector<double>(static_cast<std::size_t>(nx * ny), static_cast<double>(i + 1))});
    sheet.captions.push_back("z = " + std::to_string(i));
  }
  const TemporaryFolder folder;
  const std::string path = folder.path("planes.png");
  write_plane_picture(path, sheet, {{0, 0, 0}, spacing, {nx, ny, 4}}, {});
  CHECK(folder.names().size() == 1);
  return read_png(path);
}

}  // namespace

TEST_CASE("a sheet of planes is a picture of a handy size, with each plane as large") {
  for (const int planes : {1, 2, 5, 12, kMostPlanes}) {
    INFO(planes);
    const Picture picture = picture_of(planes, 40, 30);
    CHECK(picture.width >= 560);
    CHECK(picture.width <= 1600);
    CHECK(picture.height <= 1300);
    const auto lowest = std::ranges::count(picture.pixels, pixel_of(1.0 / planes));
    const auto highest = std::ranges::count(picture.pixels, pixel_of(1));
    CHECK(lowest > 1000);
    CHECK(highest > 1000);
    // The counts differ only by the two colours in the colour bar.
    if (planes > 1 && planes < 20) CHECK(std::abs(lowest - highest) < 500);
  }
}

TEST_CASE("colours of values that are no density begin at the least one") {
  PlaneSheet sheet{
      .title = "means", .captions = {"z = 0"}, .planes = {}, .quantity = "", .unit = ""};
  std::vector<double> values(20 * 20, -3);
  std::fill_n(values.begin(), 200, -1);
  sheet.planes.push_back({0, 1, 20, 20, values});
  DensityMetadata metadata;
  metadata.values = "heat_mean";
  const TemporaryFolder folder;
  const std::string path = folder.path("planes.png");
  write_plane_picture(path, sheet, {{0, 0, 0}, {1, 1, 1}, {20, 20, 4}}, metadata);
  const Picture picture = read_png(path);
  CHECK(std::ranges::count(picture.pixels, pixel_of(0)) > 1000);
  CHECK(std::ranges::count(picture.pixels, pixel_of(1)) > 1000);
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {20, 20, 4}};
  CHECK(picture_title(metadata, grid) == "Values of heat_mean");
  metadata.samples = 9;
  for (const std::string& fact : picture_facts(metadata, grid))
    CHECK(fact.find("mass") == fact.npos);
}

TEST_CASE("logarithms of ratios have 0 in the light middle of a map that diverges") {
  PlaneSheet sheet{
      .title = "ratio", .captions = {"z = 0"}, .planes = {}, .quantity = "", .unit = ""};
  std::vector<double> values(20 * 20, 0.0);
  std::fill_n(values.begin(), 100, -1);
  std::fill_n(values.begin() + 300, 100, 2);
  sheet.planes.push_back({0, 1, 20, 20, values});
  DensityMetadata metadata;
  metadata.values = "log_ratio";
  const TemporaryFolder folder;
  const std::string path = folder.path("planes.png");
  write_plane_picture(path, sheet, {{0, 0, 0}, {1, 1, 1}, {20, 20, 4}}, metadata);
  const Picture picture = read_png(path);
  std::map<Pixel, int> counts;
  for (const Pixel& pixel : picture.pixels) ++counts[pixel];
  const auto holds = [&](const auto& is) {  // of a large area
    return std::ranges::any_of(counts,
                               [&](const auto& one) { return one.second > 5000 && is(one.first); });
  };
  CHECK(holds([](const Pixel& p) { return p[0] > p[2] + 50; }));  // the ratio above 1 is red
  CHECK(holds([](const Pixel& p) { return p[2] > p[0] + 20; }));  // that below is blue
  CHECK(holds([](const Pixel& p) {                                // and neither nearly white
    return p[0] > 200 && p[0] < 255 && std::abs(p[0] - p[2]) < 12;
  }));
}

TEST_CASE("places without a value have a colour of their own") {
  PlaneSheet sheet{
      .title = "means", .captions = {"z = 0"}, .planes = {}, .quantity = "heat_mean", .unit = ""};
  std::vector<double> values(20 * 20, 1.0);
  std::fill_n(values.begin(), 200, std::numeric_limits<double>::quiet_NaN());
  sheet.planes.push_back({0, 1, 20, 20, values});
  const TemporaryFolder folder;
  const std::string path = folder.path("planes.png");
  write_plane_picture(path, sheet, {{0, 0, 0}, {1, 1, 1}, {20, 20, 4}}, {});
  const Picture picture = read_png(path);
  const auto none = std::ranges::count(picture.pixels, Pixel{160, 160, 160, 255});
  CHECK(none > 1000);
  CHECK(std::abs(none - std::ranges::count(picture.pixels, pixel_of(1))) < none / 10);
}

TEST_CASE("sides of a plane that are unlike become ones that can be seen") {
  const Picture wide = picture_of(1, 100, 2), tall = picture_of(1, 2, 100, {1e-3, 1e3, 1});
  for (const Picture& picture : {wide, tall}) {
    CHECK(picture.width <= 1600);
    CHECK(picture.height <= 1300);
    CHECK(std::ranges::count(picture.pixels, pixel_of(1)) > 50000);
  }
}

#endif

// The curve of scores against bandwidths, and how much of its frame it fills.

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
