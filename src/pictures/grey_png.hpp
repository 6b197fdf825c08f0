#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace skde {

/// Writes a picture of 16 bits of grey a pixel, row by row from the top, with texts (keyword, text)
/// in ASCII as tEXt chunks; whole or not at all (PNG, W3C recommendation, third edition). Throws
/// Error(output), and Error(resources) if memory is short.
void write_grey_png(const std::string& path, std::span<const std::uint16_t> pixels,
                    std::size_t width,
                    const std::vector<std::pair<std::string, std::string>>& texts = {});

}  // namespace skde
