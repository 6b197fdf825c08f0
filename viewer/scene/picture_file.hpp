#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "viewer/gl/objects.hpp"

namespace skde::view {

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

/// What has been drawn; waits for the card.
Picture read_picture(const gl::Framebuffer& framebuffer);

/// Writes a PNG file whole or not at all; throws Error(output). Half transparent colours are
/// rounded.
void write_picture(const Picture& picture, const std::string& path);

/// Reads a PNG file; throws Error(input).
Picture load_picture(const std::string& path);

}  // namespace skde::view
