#pragma once

#include <string>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/space/grid.hpp"
#include "core/space/projection.hpp"
#include "pictures/picture_look.hpp"

namespace skde {

/// Planes of a volume side by side, all across the same axis and with one colour scale.
struct PlaneSheet {
  std::string title;
  std::vector<std::string> captions;  ///< one per plane
  std::vector<Projection> planes;     ///< at least one
  std::string quantity, unit;         ///< of the colour bar
  PlaneMarks marks{};
};

/// Limit for the planes of one picture, so that each remains visible.
inline constexpr int kMostPlanes = 64;

/// Writes a PNG, SVG or PDF of planes of a volume on this grid, with axes in world units and a
/// colour bar (see color_scale()). Returns the letters that the font lacks. The file appears
/// complete or not at all. Throws Error(output) if it cannot be written, and Error(unsupported) in
/// builds without cairo.
std::string write_plane_picture(const std::string& path, const PlaneSheet& sheet, const Grid& grid,
                                const DensityMetadata& metadata, const PictureLook& look = {});

}  // namespace skde
