#include "pictures/color_map.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace skde {
namespace {

/// The Oklab colour space (Ottosson 2020), in which Euclidean distances match perceived
/// differences.
struct Oklab {
  double lightness = 0, a = 0, b = 0;
};

/// Chroma and hue (degrees) in Oklab's cylindrical form. Lightness is not listed: it grows linearly
/// from the first anchor to the last.
struct HueAnchor {
  double chroma, hue;
};

constexpr std::array<HueAnchor, 9> kViridis{{{0.110, 312},
                                             {0.128, 297},
                                             {0.126, 278},
                                             {0.108, 255},
                                             {0.096, 222},
                                             {0.108, 184},
                                             {0.148, 155},
                                             {0.178, 127},
                                             {0.185, 106}}};
constexpr double kDarkest = 0.24, kLightest = 0.93;

/// Evenly spaced colours, 0xRRGGBB, of the published maps: magma and inferno (van der Walt and
/// Smith 2015), cividis (Nunez, Anderton and Renslow 2018), turbo (Mikhailov 2019). Between them a
/// channel of inferno differs from the published 256 colours by at most 0.017, one of turbo by at
/// most 0.05 of its range, on average by 0.002 and 0.003.
constexpr std::array<std::uint32_t, 10> kMagma{0x000004, 0x180f3e, 0x451077, 0x721f81, 0x9f2f7f,
                                               0xcd4071, 0xf1605d, 0xfd9567, 0xfec98d, 0xfcfdbf};
constexpr std::array<std::uint32_t, 10> kCividis{0x00204d, 0x00336f, 0x39486b, 0x575c6d, 0x707173,
                                                 0x8a8779, 0xa69d75, 0xc4b56c, 0xe4cf5b, 0xffea46};

constexpr std::array<std::uint32_t, 16> kInferno{
    0x000004, 0x0c0826, 0x240c4f, 0x420a68, 0x5d126e, 0x781c6d, 0x932667, 0xae305c,
    0xc73e4c, 0xdd513a, 0xed6925, 0xf8850f, 0xfca50a, 0xfac62d, 0xf2e661, 0xfcffa4};
constexpr std::array<std::uint32_t, 16> kTurbo{
    0x30123b, 0x4143a7, 0x4771e9, 0x3e9bfe, 0x22c5e2, 0x1ae4b6, 0x46f884, 0x88ff4e,
    0xb9f635, 0xe1dd37, 0xfaba39, 0xfd8d27, 0xf05b12, 0xd63506, 0xaf1801, 0x7a0403};

/// The ends of a diverging map; its lightness and the share of its chroma are those of kDiverging.
constexpr std::array<HueAnchor, 2> kBlueRed{{{0.14, 255}, {0.17, 28}}};
constexpr std::array<HueAnchor, 2> kGreenPurple{{{0.12, 150}, {0.15, 310}}};
struct DivergingAnchor {
  double lightness, chroma;
};
constexpr std::array<DivergingAnchor, 7> kDiverging{
    {{0.42, 1}, {0.62, 0.95}, {0.8, 0.6}, {0.93, 0}, {0.8, 0.6}, {0.62, 0.95}, {0.42, 1}}};

double decode(double srgb) {
  return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4);
}

double encode(double linear) {
  const double c = std::clamp(linear, 0.0, 1.0);
  return c <= 0.0031308 ? 12.92 * c : 1.055 * std::pow(c, 1 / 2.4) - 0.055;
}

Oklab to_oklab(std::uint32_t color) {
  const double r = decode((color >> 16 & 255) / 255.0), g = decode((color >> 8 & 255) / 255.0),
               b = decode((color & 255) / 255.0);
  const double l = std::cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const double m = std::cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const double s = std::cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return {0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
          1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
          0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s};
}

Rgb to_srgb(const Oklab& c) {
  const auto cube = [](double v) { return v * v * v; };
  const double l = cube(c.lightness + 0.3963377774 * c.a + 0.2158037573 * c.b);
  const double m = cube(c.lightness - 0.1055613458 * c.a - 0.0638541728 * c.b);
  const double s = cube(c.lightness - 0.0894841775 * c.a - 1.2914855480 * c.b);
  return {encode(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
          encode(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
          encode(-0.0041960863 * l - 0.7034186147 * m + 1.7076147010 * s)};
}

/// Catmull-Rom spline through p1 (t = 0) and p2 (t = 1), which has no kinks at the anchors.
double smooth(double p0, double p1, double p2, double p3, double t) {
  return p1 +
         0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)));
}

/// The spline through evenly spaced anchors, at `value` in 0..1.
template <std::size_t Count>
Oklab along(const std::array<Oklab, Count>& anchors, double value) {
  constexpr std::size_t last = Count - 1;
  const double position = value * last;
  const std::size_t i = std::min(static_cast<std::size_t>(position), last - 1);
  const Oklab &p0 = anchors[i == 0 ? 0 : i - 1], &p1 = anchors[i];
  const Oklab &p2 = anchors[i + 1], &p3 = anchors[std::min(i + 2, last)];
  const double t = position - static_cast<double>(i);
  return {smooth(p0.lightness, p1.lightness, p2.lightness, p3.lightness, t),
          smooth(p0.a, p1.a, p2.a, p3.a, t), smooth(p0.b, p1.b, p2.b, p3.b, t)};
}

std::array<Oklab, kViridis.size()> viridis_anchors() {
  std::array<Oklab, kViridis.size()> anchors;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const double hue = kViridis[i].hue * std::numbers::pi / 180;
    anchors[i] = {0, kViridis[i].chroma * std::cos(hue), kViridis[i].chroma * std::sin(hue)};
  }
  return anchors;
}

std::array<Oklab, kDiverging.size()> diverging_anchors(const std::array<HueAnchor, 2>& ends) {
  std::array<Oklab, kDiverging.size()> anchors;
  for (std::size_t i = 0; i < anchors.size(); ++i) {
    const HueAnchor& end = ends[2 * i < anchors.size() ? 0 : 1];
    const double hue = end.hue * std::numbers::pi / 180, chroma = kDiverging[i].chroma * end.chroma;
    anchors[i] = {kDiverging[i].lightness, chroma * std::cos(hue), chroma * std::sin(hue)};
  }
  return anchors;
}

template <std::size_t Count>
std::array<Oklab, Count> published_anchors(const std::array<std::uint32_t, Count>& colors) {
  std::array<Oklab, Count> anchors;
  std::ranges::transform(colors, anchors.begin(), to_oklab);
  return anchors;
}

}  // namespace

Rgb map_rgb(ColorMap map, double value) {
  static const auto viridis = viridis_anchors();
  static const auto magma = published_anchors(kMagma), cividis = published_anchors(kCividis);
  static const auto inferno = published_anchors(kInferno), turbo = published_anchors(kTurbo);
  static const auto blue_red = diverging_anchors(kBlueRed);
  static const auto green_purple = diverging_anchors(kGreenPurple);
  const double share = value > 0 ? std::min(value, 1.0) : 0.0;
  if (is_inverted(map)) return map_rgb(inverted(map), 1 - share);
  switch (map) {
    case ColorMap::inferno:
      return to_srgb(along(inferno, share));
    case ColorMap::turbo:
      return to_srgb(along(turbo, share));
    case ColorMap::blue_red:
      return to_srgb(along(blue_red, share));
    case ColorMap::green_purple:
      return to_srgb(along(green_purple, share));
    case ColorMap::magma:
      return to_srgb(along(magma, share));
    case ColorMap::cividis:
      return to_srgb(along(cividis, share));
    case ColorMap::grey:
      return to_srgb({share, 0, 0});
    default:  // viridis; inverted maps have returned
      break;
  }
  Oklab color = along(viridis, share);
  color.lightness = std::lerp(kDarkest, kLightest, share);
  return to_srgb(color);
}

Color map_color(double value, ColorMap map) {
  const Rgb color = map_rgb(map, value);
  const auto round = [](double c) { return static_cast<std::uint8_t>(std::lround(255 * c)); };
  return {round(color.red), round(color.green), round(color.blue)};
}

std::vector<float> map_shares(ColorMap map, std::span<const double> values) {
  const double peak = values.empty() ? 0 : *std::ranges::max_element(values);
  std::vector<float> colours;
  colours.reserve(3 * values.size());
  for (const double value : values) {
    const Rgb colour = map_rgb(map, peak > 0 ? value / peak : 0);
    for (const double part : {colour.red, colour.green, colour.blue})
      colours.push_back(static_cast<float>(part));
  }
  return colours;
}

}  // namespace skde
