#pragma once

#include <cstdint>

#include "core/grid.hpp"

namespace skde::view {

/// The largest volumes that the graphics card can draw; plain values, usable in any thread.
struct TextureLimits {
  std::int64_t side = 0;   ///< cells along an axis
  std::int64_t cells = 0;  ///< cells in total

  /// Throws Error(resources) if the card cannot have a texture for the grid.
  void require(const Grid& grid) const;
};

/// Returns the limits of the current context.
TextureLimits texture_limits();

}  // namespace skde::view
