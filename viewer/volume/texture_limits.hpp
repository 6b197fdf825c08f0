#pragma once

#include <cstdint>

#include "core/grid.hpp"

namespace skde::view {

/// What volumes the graphics card draws. Plain values, which other threads may ask as well.
struct TextureLimits {
  std::int64_t side = 0;   ///< cells along an axis
  std::int64_t cells = 0;  ///< in all

  /// Throws Error(resources) where the card has no texture for the grid.
  void require(const Grid& grid) const;
};

/// Those of the current context.
TextureLimits texture_limits();

}  // namespace skde::view
