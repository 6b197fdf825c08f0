#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/grid.hpp"
#include "core/projection.hpp"

namespace skde {

/// Planes of a volume side by side, all across the same axis and of one scale of colours.
struct PlaneSheet {
  std::string title;
  std::vector<std::string> captions;  ///< one a plane
  std::vector<Projection> planes;     ///< at least one
  std::string quantity, unit;         ///< of the colour bar
};

/// Planes that one picture holds at the most, so that each can be seen.
inline constexpr int kMostPlanes = 64;

/// Writes a PNG of the planes of a volume on this grid, with axes in world units and a colour bar
/// to their greatest value, from 0 for a density and from the least of other values. The file
/// appears whole or not at all. Throws Error(output) where it cannot be written and
/// Error(unsupported) in builds without cairo. Axes that are flipped grow leftwards or downwards.
void write_plane_picture(const std::string& path, const PlaneSheet& sheet, const Grid& grid,
                         const DensityMetadata& metadata, std::array<bool, 3> flipped = {});

}  // namespace skde
