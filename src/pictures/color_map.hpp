#pragma once

#include <array>
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

/// Colour maps whose lightness grows along them, so that equal steps of value look equal, in
/// greyscale too.
enum class ColorMap {
  viridis,  ///< dark violet, blue, green, light yellow
  magma,    ///< black, violet, red, light yellow
  cividis,  ///< dark blue to yellow, alike with red-green colour blindness
  grey,     ///< black to white
};

inline constexpr std::array<std::pair<std::string_view, ColorMap>, 4> kColorMaps{
    {{"viridis", ColorMap::viridis},
     {"magma", ColorMap::magma},
     {"cividis", ColorMap::cividis},
     {"grey", ColorMap::grey}}};

/// Returns the colour of a value. Values outside 0..1 take the colour of the nearer end, NaN that
/// of 0.
Rgb map_rgb(ColorMap map, double value);
/// Returns red, green and blue, each 0..1, of every value as a share of the largest one. Values are
/// at least 0.
std::vector<float> map_shares(ColorMap map, std::span<const double> values);
/// The same as map_rgb() for viridis, for pictures of 8 bits per channel.
Color map_color(double value);

}  // namespace skde
