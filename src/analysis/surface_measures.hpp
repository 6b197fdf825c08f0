#pragma once

#include "core/progress.hpp"
#include "core/triangle_mesh.hpp"
#include "core/volume.hpp"

namespace skde {

/// The volume within a watertight mesh, exactly but for rounding.
double enclosed_volume(const TriangleMesh& mesh);

/// The integral of the density within a watertight mesh: the lines through cell centres along x are
/// cut where they pass the mesh, and hold the values of their cells there. Throws Error(cancelled).
double enclosed_mass(const TriangleMesh& mesh, const Volume& volume, Progress& progress);

/// Gives every point the direction in which the density falls the fastest, by central differences
/// that are interpolated linearly, with 0 outside of the box. Where it does not fall, or to the
/// inner side, that of the triangles around.
void add_normals(TriangleMesh& mesh, const Volume& volume);

}  // namespace skde
