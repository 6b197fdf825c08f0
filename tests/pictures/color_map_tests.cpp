#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "pictures/color_map.hpp"
#include "support/catch.hpp"

using namespace skde;

namespace {

double linear(double c) { return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }

/// The lightness L* of CIELAB.
double lightness(const Rgb& color) {
  const double y =
      0.2126 * linear(color.red) + 0.7152 * linear(color.green) + 0.0722 * linear(color.blue);
  return y <= 216.0 / 24389 ? y * 24389 / 27 : 116 * std::cbrt(y) - 16;
}

double lightness(const Color& color) {
  return lightness(Rgb{color.red / 255.0, color.green / 255.0, color.blue / 255.0});
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

TEST_CASE("the even colour maps grow lighter from end to end within the colours of a screen") {
  for (const auto& [name, map] : std::span(kColorMaps).first(5)) {
    CAPTURE(name);
    CHECK(lightness(map_rgb(map, 0)) < 16);
    CHECK(lightness(map_rgb(map, 1)) > 88);
    for (int i = 1; i <= 64; ++i) {
      CAPTURE(i);
      const Rgb color = map_rgb(map, i / 64.0);
      CHECK(lightness(color) > lightness(map_rgb(map, (i - 1) / 64.0)));
      for (const double channel : {color.red, color.green, color.blue}) {
        CHECK(channel >= 0);
        CHECK(channel <= 1);
      }
    }
  }
}

TEST_CASE("diverging maps are lightest in their middle, and alike at both ends") {
  for (const ColorMap map : {ColorMap::blue_red, ColorMap::green_purple}) {
    CAPTURE(static_cast<int>(map));
    CHECK(lightness(map_rgb(map, 0.5)) > 88);
    CHECK(lightness(map_rgb(map, 0)) == Approx(lightness(map_rgb(map, 1))).margin(4));
    for (int i = 1; i <= 32; ++i) {
      CHECK(lightness(map_rgb(map, i / 64.0)) > lightness(map_rgb(map, (i - 1) / 64.0)));
      CHECK(lightness(map_rgb(map, 1 - i / 64.0)) > lightness(map_rgb(map, 1 - (i - 1) / 64.0)));
    }
  }
}

TEST_CASE("every map has an inverted one, with its name") {
  for (std::size_t i = 0; i < kPlainColorMaps; ++i) {
    const auto& [name, map] = kColorMaps[i];
    const auto& [other, turned] = kColorMaps[i + kPlainColorMaps];
    CHECK(other == std::string(name) + "-inverted");
    CHECK(turned == inverted(map));
    CHECK(map == inverted(turned));
    CHECK(is_inverted(turned));
    CHECK_FALSE(is_inverted(map));
    // Dense regions contrast with the ground, unless the map is a rainbow or diverges.
    if (map == ColorMap::turbo || map == ColorMap::blue_red || map == ColorMap::green_purple)
      CHECK(on_ground(map, true) == map);
    else
      CHECK(lightness(map_rgb(on_ground(map, true), 1)) < 30);
    CHECK(on_ground(map, false) == map);
    for (const double value : {0.0, 0.3, 1.0})
      CHECK(map_rgb(turned, value).green == map_rgb(map, 1 - value).green);
  }
}

TEST_CASE("published colour maps have their published colours between the anchors too") {
  // Entries of the tables of 256 colours published by the authors.
  const auto near = [](const Rgb& color, double red, double green, double blue) {
    CHECK(color.red == Approx(red).margin(0.03));
    CHECK(color.green == Approx(green).margin(0.03));
    CHECK(color.blue == Approx(blue).margin(0.03));
  };
  near(map_rgb(ColorMap::magma, 128 / 255.0), 0.716387, 0.214982, 0.475290);
  near(map_rgb(ColorMap::magma, 1), 0.987053, 0.991438, 0.749504);
  near(map_rgb(ColorMap::inferno, 128 / 255.0), 0.735683, 0.215906, 0.330245);
  near(map_rgb(ColorMap::turbo, 128 / 255.0), 0.64362, 0.98999, 0.23356);
  near(map_rgb(ColorMap::cividis, 0), 0.0, 0.135112, 0.304751);
  near(map_rgb(ColorMap::cividis, 51 / 255.0), 0.208926, 0.272546, 0.424809);
}
