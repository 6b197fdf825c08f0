#pragma once

#include <array>
#include <cstdint>

namespace skde {

/// A colour in sRGB, each channel 0..255.
struct Color {
  std::uint8_t red = 0, green = 0, blue = 0;
  friend bool operator==(const Color&, const Color&) = default;
};

/// A colour map from dark violet (0) through blue and green to light yellow (1) whose lightness
/// grows evenly, so that equal steps of value look equally large, in greyscale too. Values
/// outside 0..1 take the colour of the nearer end, NaN that of 0.
Color map_color(double value);

}  // namespace skde
