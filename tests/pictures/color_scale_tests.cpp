#include "pictures/plane_panel.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/report/error.hpp"
#include "pictures/heat_image.hpp"
#include "support/catch.hpp"

using namespace skde;

#if SKDE_HAS_PICTURES

namespace {

/// The places of these values in the colours of a picture of them.
std::vector<double> places(std::vector<double> values, const char* name,
                           const PictureLook& look = {}) {
  const auto width = static_cast<std::int64_t>(values.size());
  const Projection row{0, 1, width, 1, std::move(values)};
  return color_scale({&row}, name, look).places_of(row).values;
}

void check_near(const std::vector<double>& found, const std::vector<double>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) CHECK(std::abs(found[i] - expected[i]) < 1e-12);
}

}  // namespace

TEST_CASE("colours begin at 0 for densities, and at the middle for differences and ratios") {
  check_near(places({1, 2, 4}, ""), {0.25, 0.5, 1});
  check_near(places({1, 2, 5}, "mean"), {0, 0.25, 1});
  check_near(places({-1, 0, 4}, "log_ratio"), {0.375, 0.5, 1});
  check_near(places({-8, 0, 4}, "signed_density"), {0, 0.5, 0.75});
  check_near(places({0.25, 1, 2, 0.5}, "ratio"), {0, 0.5, 0.75, 0.25});
  check_near(places({-1, 0, 4}, "mean", {.map = ColorMap::green_purple}), {0.375, 0.5, 1});
  check_near(places({0, 1e-9, 1e-4, 1e-2, 1}, "", {.log = true}), {0, 0, 0, 0.5, 1});
  check_near(places({0.1, 1, 10}, "mean", {.log = true}), {0, 0.5, 1});
  check_near(places({0, 0}, ""), {0, 0});
  CHECK_THROWS_AS(places({-1, 4}, "z", {.log = true}), Error);
  for (const ColorMap map : {ColorMap::blue_red, ColorMap::green_purple}) {
    const Color middle = map_color(0.5, map);
    CHECK(std::max({middle.red, middle.green, middle.blue}) -
              std::min({middle.red, middle.green, middle.blue}) <
          4);
  }
}

TEST_CASE("a logarithmic bar has its powers of ten at equal distances") {
  const PictureAxis axis = fit_color_axis({1e-4, 1, true}, 400);
  for (int power = -4; power <= 0; ++power)
    CHECK(axis.pixel(std::pow(10, power), 400) == 100 * (power + 4));
}

#endif

TEST_CASE("lines of a paraboloid are circles, and saddles have two") {
  constexpr int kCells = 80;
  Projection plane{0, 1, kCells, kCells, {}};
  for (int j = 0; j < kCells; ++j)
    for (int i = 0; i < kCells; ++i)
      plane.values.push_back(std::hypot(i + 0.5 - 40.3, j + 0.5 - 38.7));
  double length = 0;
  for (const auto& [from, to] : contour_lines(plane, 25)) {
    CHECK(std::abs(std::hypot(from[0] - 40.3, from[1] - 38.7) - 25) < 0.01);
    length += std::hypot(to[0] - from[0], to[1] - from[1]);
  }
  CHECK(std::abs(length / (2 * std::numbers::pi * 25) - 1) < 2e-3);
  const Projection saddle{0, 1, 2, 2, {1, 0, 0, 1}};
  for (const double level : {0.25, 0.75}) {  // its middle is 0.5: joined below, parted above
    const auto lines = contour_lines(saddle, level);
    REQUIRE(lines.size() == 2);
    for (const auto& [from, to] : lines) {
      const double sum = from[0] + from[1], other = to[0] + to[1];
      CHECK((level < 0.5) == (std::abs(sum - other) > 0.4));
    }
  }
  CHECK(contour_lines({0, 1, 2, 2, {1, NAN, 0, 1}}, 0.5).empty());
}
