#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/space/grid.hpp"
#include "core/space/projection.hpp"
#include "pictures/picture_look.hpp"

namespace skde {

/// Upper bound on the bytes needed to draw a picture of such a grid, besides its projections.
std::int64_t picture_bytes(const std::array<std::int64_t, 3>& dims);

/// Volumes on one grid, side by side and with one colour scale.
struct ProjectionSheet {
  std::string title;
  std::vector<std::string> captions;     ///< of the volumes
  std::vector<Projections> projections;  ///< of the same volumes; at least one
  std::vector<std::string> facts{};      ///< above the panels, besides those of the metadata
  std::vector<PlaneMarks> marks{};       ///< of the same volumes; or none
};
/// Writes a PNG, SVG or PDF of the three orthogonal projections of each volume, with axes in world
/// units and a colour bar (see color_scale()). The file appears complete or not at all. Throws
/// Error(output) if it cannot be written, and Error(unsupported) in builds without cairo. Returns
/// the letters that the font lacks.
std::string write_projection_sheet(const std::string& path, const ProjectionSheet& sheet,
                                   const Grid& grid, const DensityMetadata& metadata,
                                   const PictureLook& look = {});

}  // namespace skde
