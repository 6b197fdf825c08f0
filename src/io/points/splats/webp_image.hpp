#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace skde::io {

/// Pixels of four bytes, row by row.
struct RgbaImage {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> bytes;  ///< 4 x width x height

  std::size_t pixels() const { return width * height; }
  const std::uint8_t* pixel(std::size_t i) const { return bytes.data() + 4 * i; }
  std::uint8_t* pixel(std::size_t i) { return bytes.data() + 4 * i; }
};

/// The largest width and height of a WebP image.
inline constexpr std::size_t kMostWebpSide = 16383;

/// Returns width and height from the header of a WebP image, or zeros if it is none.
std::array<std::size_t, 2> webp_size(std::string_view bytes);
/// Decodes a WebP image; of no size if it is broken. The caller has looked at webp_size().
RgbaImage decoded_webp(std::string_view bytes);
/// Returns an image as WebP, without loss in any of the four bytes. Throws Error(resources) if
/// there is not enough memory.
std::string lossless_webp(const RgbaImage& image);

}  // namespace skde::io
