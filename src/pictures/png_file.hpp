#pragma once

#include <string>
#include <string_view>

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

}  // namespace skde
