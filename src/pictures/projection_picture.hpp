#pragma once

#include <string>

#include "core/density_metadata.hpp"
#include "core/grid.hpp"
#include "pictures/projection.hpp"

namespace skde {

/// Writes a PNG of three orthogonal maximum projections of a volume on this grid, with axes in
/// world units and a colour bar. The file appears whole or not at all. Throws Error(output) where
/// it cannot be written and Error(unsupported) in builds without cairo.
void write_projection_picture(const std::string& path, const Projections& projections,
                              const Grid& grid, const DensityMetadata& metadata);

}  // namespace skde
