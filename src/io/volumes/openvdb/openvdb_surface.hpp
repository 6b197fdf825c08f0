#pragma once

#include "core/report/progress.hpp"
#include "core/triangle_mesh.hpp"
#include "core/volume.hpp"

namespace skde::io {

/// The surface of a level around what is denser, in world units. Error(resources) where it has more
/// points than 32 bits count.
TriangleMesh openvdb_surface(const Volume& volume, double level, Progress& progress);

}  // namespace skde::io
