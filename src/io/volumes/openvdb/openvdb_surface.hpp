#pragma once

#include "core/report/progress.hpp"
#include "core/space/triangle_mesh.hpp"
#include "core/space/volume.hpp"

namespace skde::io {

/// Returns the surface at a level, which encloses the denser region, in world units. Throws
/// Error(resources) if it has more points than 32 bits can count.
TriangleMesh openvdb_surface(const Volume& volume, double level, Progress& progress);

}  // namespace skde::io
