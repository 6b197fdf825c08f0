#pragma once

#include <string>

#include "core/density_metadata.hpp"
#include "core/volume.hpp"

namespace skde {

/// Writes a PNG of the volume's three orthogonal maximum projections with axes in world units and a
/// colour bar. The file appears whole or not at all. Throws Error(output) where it cannot be
/// written and Error(unsupported) in builds without cairo.
void write_projection_picture(const std::string& path, const Volume& volume,
                              const DensityMetadata& metadata);

}  // namespace skde
