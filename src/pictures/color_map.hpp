#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace skde {

/// A colour in sRGB, each channel 0..255.
struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Color&, const Color&) = default;
};

/// A colour in sRGB, each channel 0..1.
struct Rgb {
  double red = 0, green = 0, blue = 0;
};

/// Colour maps. The lightness of the first five grows along them, so that equal steps of value look
/// equal, in greyscale too. The last two diverge: their middle is the lightest, for values on both
/// sides of a middle. After them come the same maps from end to end.
enum class ColorMap {
  viridis,  ///< dark violet, blue, green, light yellow
  magma,    ///< black, violet, red, light yellow
  cividis,  ///< dark blue to yellow, alike with red-green colour blindness
  grey,     ///< black to white
  inferno,  ///< black, violet, red, yellow, light yellow
  turbo,    ///< a rainbow: dark blue, green, yellow, dark red; its lightness rises and falls
  blue_red,
  green_purple,
  inverted_viridis,
  inverted_magma,
  inverted_cividis,
  inverted_grey,
  inverted_inferno,
  inverted_turbo,
  inverted_blue_red,
  inverted_green_purple,
};

inline constexpr std::array<std::pair<std::string_view, ColorMap>, 16> kColorMaps{
    {{"viridis", ColorMap::viridis},
     {"magma", ColorMap::magma},
     {"cividis", ColorMap::cividis},
     {"grey", ColorMap::grey},
     {"inferno", ColorMap::inferno},
     {"turbo", ColorMap::turbo},
     {"blue-red", ColorMap::blue_red},
     {"green-purple", ColorMap::green_purple},
     {"viridis-inverted", ColorMap::inverted_viridis},
     {"magma-inverted", ColorMap::inverted_magma},
     {"cividis-inverted", ColorMap::inverted_cividis},
     {"grey-inverted", ColorMap::inverted_grey},
     {"inferno-inverted", ColorMap::inverted_inferno},
     {"turbo-inverted", ColorMap::inverted_turbo},
     {"blue-red-inverted", ColorMap::inverted_blue_red},
     {"green-purple-inverted", ColorMap::inverted_green_purple}}};
/// The maps that are not inverted: the first of the table.
inline constexpr std::size_t kPlainColorMaps = kColorMaps.size() / 2;

constexpr bool is_inverted(ColorMap map) { return map >= ColorMap::inverted_viridis; }
/// Returns the same colours from end to end.
constexpr ColorMap inverted(ColorMap map) {
  constexpr auto half = static_cast<int>(kPlainColorMaps);
  return static_cast<ColorMap>((static_cast<int>(map) + half) % (2 * half));
}
/// Returns the map that is drawn on a light or a dark ground: on a light one those whose lightness
/// grows begin at their light end, so that what is dense stands out.
constexpr ColorMap on_ground(ColorMap map, bool light) {
  const ColorMap plain = is_inverted(map) ? inverted(map) : map;
  return light && plain <= ColorMap::inferno ? inverted(map) : map;
}

/// Returns the colour of a value. Values outside 0..1 take the colour of the nearer end, NaN that
/// of 0.
Rgb map_rgb(ColorMap map, double value);
/// Returns red, green and blue, each 0..1, of every value as a share of the largest one. Values are
/// at least 0.
std::vector<float> map_shares(ColorMap map, std::span<const double> values);
/// The same as map_rgb(), for pictures of 8 bits per channel.
Color map_color(double value, ColorMap map = ColorMap::viridis);

}  // namespace skde
