#pragma once

#include <string>
#include <string_view>

#include "pictures/picture.hpp"

namespace skde {

/// Pixels along a side that a PNG file may have here.
inline constexpr int kMostPngSide = 1 << 15;

/// The bytes of a PNG file: RGB where every pixel is opaque, RGBA otherwise, each value as it is.
/// Throws Error(resources) where a side is longer than kMostPngSide, where there are more than 2^28
/// pixels, or where memory is short.
std::string encode_png(const Picture& picture);

/// The picture that the bytes of a PNG file of any kind hold; of 16 bits a channel the upper 8 are
/// taken. Throws Error(input), which begins with `name`, where they are damaged, a side is longer
/// than kMostPngSide, or the pixels take more than 2^30 bytes.
Picture decode_png(std::string_view bytes, const std::string& name);

/// Writes a PNG file whole or not at all. Throws Error(output), and what encode_png throws.
void write_png(const Picture& picture, const std::string& path);

/// Throws Error(input) where the file cannot be read, and what decode_png throws.
Picture read_png(const std::string& path);

}  // namespace skde
