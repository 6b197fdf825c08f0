#include <catch2/catch.hpp>
#include <cmath>
#include <limits>

#include "analysis/color_map.hpp"

using namespace skde;

namespace {

double linear(std::uint8_t channel) {
  const double c = channel / 255.0;
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}

/// L* of CIELAB.
double lightness(const Color& color) {
  const double y =
      0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
  return y <= 216.0 / 24389 ? y * 24389 / 27 : 116 * std::cbrt(y) - 16;
}

}  // namespace

TEST_CASE("the colour map goes from dark violet to light yellow") {
  const Color low = map_color(0), high = map_color(1);
  CHECK(lightness(low) < 15);
  CHECK(low.blue > low.green);
  CHECK(lightness(high) > 88);
  CHECK(high.red > 230);
  CHECK(high.blue < 90);
}

TEST_CASE("the colour map keeps to its ends outside 0..1") {
  CHECK(map_color(-3) == map_color(0));
  CHECK(map_color(7) == map_color(1));
  CHECK(map_color(std::numeric_limits<double>::infinity()) == map_color(1));
  CHECK(map_color(std::numeric_limits<double>::quiet_NaN()) == map_color(0));
}

TEST_CASE("the colour map grows lighter evenly") {
  const double whole = lightness(map_color(1)) - lightness(map_color(0));
  for (int i = 1; i <= 32; ++i) {
    CAPTURE(i);
    const double step = lightness(map_color(i / 32.0)) - lightness(map_color((i - 1) / 32.0));
    CHECK(step > 0.5 * whole / 32);
    CHECK(step < 1.6 * whole / 32);
  }
}
