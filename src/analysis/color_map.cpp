#include "analysis/color_map.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace skde {
namespace {

/// Chroma and hue (degrees) in Oklab's cylindrical form (Ottosson 2020); lightness is not listed,
/// since it grows linearly from the first anchor to the last.
struct Anchor {
  double chroma, hue;
};

constexpr std::array<Anchor, 9> kAnchors{{{0.110, 312},
                                          {0.128, 297},
                                          {0.126, 278},
                                          {0.108, 255},
                                          {0.096, 222},
                                          {0.108, 184},
                                          {0.148, 155},
                                          {0.178, 127},
                                          {0.185, 106}}};
constexpr double kDarkest = 0.24, kLightest = 0.93;

struct Oklab {
  double lightness, a, b;
};

Oklab anchor_color(std::size_t index) {
  const Anchor& anchor = kAnchors[index];
  const double share = static_cast<double>(index) / (kAnchors.size() - 1);
  const double hue = anchor.hue * std::numbers::pi / 180;
  return {std::lerp(kDarkest, kLightest, share), anchor.chroma * std::cos(hue),
          anchor.chroma * std::sin(hue)};
}

/// The curve of Catmull and Rom through p1 (t = 0) and p2 (t = 1): no kinks at the anchors.
double smooth(double p0, double p1, double p2, double p3, double t) {
  return p1 +
         0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)));
}

std::uint8_t encode(double linear) {
  const double c = std::clamp(linear, 0.0, 1.0);
  const double srgb = c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
  return static_cast<std::uint8_t>(std::lround(255 * srgb));
}

Color to_srgb(const Oklab& c) {
  const auto cube = [](double v) { return v * v * v; };
  const double l = cube(c.lightness + 0.3963377774 * c.a + 0.2158037573 * c.b);
  const double m = cube(c.lightness - 0.1055613458 * c.a - 0.0638541728 * c.b);
  const double s = cube(c.lightness - 0.0894841775 * c.a - 1.2914855480 * c.b);
  return {encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

}  // namespace

Color map_color(double value) {
  constexpr std::size_t last = kAnchors.size() - 1;
  const double position = (value > 0 ? std::min(value, 1.0) : 0.0) * last;
  const std::size_t i = std::min(static_cast<std::size_t>(position), last - 1);
  const Oklab p0 = anchor_color(i == 0 ? 0 : i - 1), p1 = anchor_color(i);
  const Oklab p2 = anchor_color(i + 1), p3 = anchor_color(std::min(i + 2, last));
  const double t = position - static_cast<double>(i);
  return to_srgb({std::lerp(kDarkest, kLightest, position / last),
                  smooth(p0.a, p1.a, p2.a, p3.a, t), smooth(p0.b, p1.b, p2.b, p3.b, t)});
}

}  // namespace skde
