#pragma once

#include <array>
#include <string>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/space/grid.hpp"
#include "core/space/projection.hpp"

namespace skde {

/// Planes of a volume side by side, all across the same axis and with one colour scale.
struct PlaneSheet {
  std::string title;
  std::vector<std::string> captions;  ///< one per plane
  std::vector<Projection> planes;     ///< at least one
  std::string quantity, unit;         ///< of the colour bar
};

/// Limit for the planes of one picture, so that each remains visible.
inline constexpr int kMostPlanes = 64;

/// Writes a PNG of planes of a volume on this grid, with axes in world units and a colour bar.
/// Returns the letters that the font lacks.
/// Colours go from 0 for a density, or from the least value of other volumes, to the greatest
/// value. The file appears complete or not at all. Throws Error(output) if it cannot be written,
/// and Error(unsupported) in builds without cairo. Flipped axes run leftwards or downwards.
std::string write_plane_picture(const std::string& path, const PlaneSheet& sheet, const Grid& grid,
                                const DensityMetadata& metadata, std::array<bool, 3> flipped = {});

}  // namespace skde
