#pragma once

#include <array>
#include <cstdint>

#include "core/space/grid.hpp"
#include "core/space/volume.hpp"

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

/// Cells along each axis that are drawn as one.
using Reduction = std::array<std::int64_t, 3>;

/// Returns the least reduction, by whole numbers of cells, with which the card can draw the grid:
/// {1, 1, 1} if it can draw it as it is.
Reduction reduction_for(const Grid& grid, const TextureLimits& limits);
/// Returns the volume of the means of so many cells along each axis; cells beyond the box count as
/// 0, so that the mass stays, and so do values that are not finite.
Volume reduced(const Volume& volume, const Reduction& by);

}  // namespace skde::view
