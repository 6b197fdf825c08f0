#pragma once

#include <cstdint>

#include "core/space/space.hpp"

namespace skde {

/// The tiles of a grid, or blocks of sorted points, that belong to one of several engines.
/// Neighbours belong to different engines, because crowded ones lie together.
struct TileShare {
  std::int32_t number = 0, of = 1;

  /// True if the tile at these coordinates, in tiles, belongs to this share.
  SKDE_HOST_DEVICE bool has(std::int32_t x, std::int32_t y, std::int32_t z) const {
    return (x + y + z) % of == number;
  }
  friend bool operator==(const TileShare&, const TileShare&) = default;
};

}  // namespace skde
