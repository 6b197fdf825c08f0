#pragma once

#include <array>

#include "core/report/progress.hpp"
#include "core/triangle_mesh.hpp"
#include "core/volume.hpp"

namespace skde {

/// The surface on which a density has a level, around all that is higher.
struct Isosurface {
  double level = 0;
  TriangleMesh mesh;  ///< watertight: each edge belongs to two triangles, once in each direction
  std::array<bool, 6> closed{};  ///< faces of the box that it meets and is closed along: low x,
                                 ///< high x, low y, ...
  double volume = 0;             ///< that it encloses, in cubed units of the coordinates
  double mass = 0;               ///< the integral of the interpolated cells within it
};

/// The isosurface of a level above 0, by OpenVDB's dual contouring of the values at cell centres,
/// beyond whose box all is 0. A point lies in each cell between centres that the surface passes, in
/// the middle of where it cuts the cell's edges: within half a cell of the linear interpolation,
/// and off a surface of curvature radius R by about a quarter of a squared cell's edge over R.
/// Where the surface meets the box, it is closed along its face. Normals are those of the density's
/// gradient, and point to lower values. Takes a copy of the values. Throws Error(usage) for a level
/// that is not above 0, or so high that nothing is enclosed, Error(resources) where there are more
/// than 2^32 points, Error(unsupported) in builds without OpenVDB, and Error(cancelled).
Isosurface isosurface(const Volume& volume, double level, Progress& progress);

/// How near mass_surface() comes, as a share of the mass, where a level does.
inline constexpr double kNearMass = 1e-3;

/// The isosurface that itself encloses a share of the `whole` mass, as mass_levels() has them. Flat
/// triangles cut off what is round: from the level of the cells' region on it is moved until the
/// mesh holds the mass within kNearMass, or as near as any level comes. Densities that have one
/// value all over a place, as those of uniform kernels, have no level within it. Throws what both
/// throw.
Isosurface mass_surface(const Volume& volume, double mass, double whole, Progress& progress);

}  // namespace skde
