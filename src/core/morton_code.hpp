#pragma once

#include <cstdint>

#include "core/space/space.hpp"

namespace skde {

/// Moves bit i of a number of 21 bits to bit 3 i.
SKDE_HOST_DEVICE inline std::uint64_t spread_bits(std::uint64_t bits) {
  bits = (bits | bits << 32) & 0x001f00000000ffffu;
  bits = (bits | bits << 16) & 0x001f0000ff0000ffu;
  bits = (bits | bits << 8) & 0x100f00f00f00f00fu;
  bits = (bits | bits << 4) & 0x10c30c30c30c30c3u;
  return (bits | bits << 2) & 0x1249249249249249u;
}

/// Returns the place of a cell along a Morton curve: the bits of z, y and x in turn.
SKDE_HOST_DEVICE inline std::uint64_t morton_code(std::uint64_t x, std::uint64_t y,
                                                  std::uint64_t z) {
  return spread_bits(x) | spread_bits(y) << 1 | spread_bits(z) << 2;
}

}  // namespace skde
