#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pictures/picture.hpp"

namespace skde {

/// Longest side, in pixels, of a PNG file that skde reads or writes.
inline constexpr int kMostPngSide = 1 << 15;

/// Returns the bytes of a PNG file: RGB if every pixel is opaque, otherwise RGBA, with unchanged
/// values. Throws Error(resources) if a side is longer than kMostPngSide, if there are more than
/// 2^28 pixels, or if memory is short.
std::string encode_png(const Picture& picture);

/// Decodes a PNG file of any kind; of 16 bits per channel the upper 8 are used. Throws
/// Error(input), whose text begins with `name`, if the file is damaged, a side is longer than
/// kMostPngSide, or the pixels take more than 2^30 bytes.
Picture decode_png(std::string_view bytes, const std::string& name);

/// Writes the whole PNG file or nothing. Throws Error(output), and what encode_png throws.
void write_png(const Picture& picture, const std::string& path);

/// Throws Error(input) if the file cannot be read, and what decode_png throws.
Picture read_png(const std::string& path);

/// Writes a picture of 16 bits of grey a pixel, row by row from the top, with texts (keyword, text)
/// in ASCII as tEXt chunks; whole or not at all (PNG, W3C recommendation, third edition). Throws
/// Error(output), and Error(resources) if memory is short.
void write_grey_png(const std::string& path, std::span<const std::uint16_t> pixels,
                    std::size_t width,
                    const std::vector<std::pair<std::string, std::string>>& texts = {});

}  // namespace skde
