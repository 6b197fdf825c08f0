#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "core/density_metadata.hpp"
#include "core/space/grid.hpp"
#include "core/space/projection.hpp"

namespace skde {

/// Upper bound on the bytes needed to draw a picture of such a grid, besides its projections.
std::int64_t picture_bytes(const std::array<std::int64_t, 3>& dims);

/// Writes a PNG of three orthogonal maximum projections of a volume on this grid, with axes in
/// world units and a colour bar. The file appears complete or not at all. Throws Error(output) if
/// it cannot be written, and Error(unsupported) in builds without cairo. Flipped axes run leftwards
/// or downwards, as depths do. Returns the letters that the font lacks.
std::string write_projection_picture(const std::string& path, const Projections& projections,
                                     const Grid& grid, const DensityMetadata& metadata,
                                     std::array<bool, 3> flipped = {});

/// Volumes on one grid, side by side and with one colour scale.
struct ProjectionSheet {
  std::string title;
  std::vector<std::string> captions;     ///< of the volumes
  std::vector<Projections> projections;  ///< of the same volumes; at least one
  std::vector<std::string> facts{};      ///< above the panels, besides those of the metadata
};
/// Writes the three projections of each volume. Colours go from 0 to the greatest value of all.
/// Throws the same.
std::string write_projection_sheet(const std::string& path, const ProjectionSheet& sheet,
                                   const Grid& grid, const DensityMetadata& metadata,
                                   std::array<bool, 3> flipped = {});

}  // namespace skde
