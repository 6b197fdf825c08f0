#pragma once

#include <cstdint>

#include "core/space.hpp"

namespace skde {

/// The tiles of a grid that fall to one of several engines. Neighbours fall to different ones:
/// crowded tiles lie together.
struct TileShare {
  std::int32_t number = 0, of = 1;

  /// Of the tile at these coordinates, in tiles.
  SKDE_HOST_DEVICE bool has(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return (x + y + z) % of == number;
  }
  friend bool operator==(const TileShare&, const TileShare&) = default;
};

}  // namespace skde
