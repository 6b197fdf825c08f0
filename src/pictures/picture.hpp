#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace skde {

/// Pixels of 8-bit sRGB and opacity, row by row from the top.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::array<std::uint8_t, 4>> pixels;

  const std::array<std::uint8_t, 4>& at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
  friend bool operator==(const Picture&, const Picture&) = default;
};

}  // namespace skde
