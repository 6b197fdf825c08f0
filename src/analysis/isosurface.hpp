#pragma once

#include <array>

#include "core/report/progress.hpp"
#include "core/space/triangle_mesh.hpp"
#include "core/space/volume.hpp"

namespace skde {

/// The surface on which a density has a level, around all higher values.
struct Isosurface {
  double level = 0;
  TriangleMesh mesh;  ///< watertight: each edge belongs to two triangles, once in each direction
  std::array<bool, 6> closed{};  ///< faces of the box that it meets, where it is closed: low x,
                                 ///< high x, low y, ...
  double volume = 0;             ///< enclosed volume, in cubed units of the coordinates
  double mass = 0;               ///< integral of the interpolated cells within it
};

/// Returns the isosurface of a level above 0, by OpenVDB's dual contouring of the values at cell
/// centres; outside their box all is 0. Each cell between centres that the surface passes gets a
/// point, in the middle of the surface's cuts with the cell's edges. The point is within half a
/// cell of the linear interpolation. For a surface of curvature radius R, it is off by about a
/// quarter of a cell's squared edge over R. Where the surface meets the box, it is closed along the
/// face. Normals follow the density's gradient and point to lower values. Takes a copy of the
/// values. Throws Error(usage) for a level that is not above 0, or so high that nothing is
/// enclosed; Error(resources) if there are more than 2^32 points; Error(unsupported) in builds
/// without OpenVDB; and Error(cancelled).
Isosurface isosurface(const Volume& volume, double level, Progress& progress);

/// The accuracy of mass_surface(), as a share of the mass, if a level reaches it.
inline constexpr double kNearMass = 1e-3;

/// Returns the isosurface that encloses a share of the `whole` mass, as defined for mass_levels().
/// Flat triangles cut off round parts, so the level is moved from that of the cells' region until
/// the mesh holds the mass within kNearMass, or as near as any level comes. Densities with
/// plateaus, as of uniform kernels, have no level within a plateau. Throws what isosurface() and
/// mass_levels() throw.
Isosurface mass_surface(const Volume& volume, double mass, double whole, Progress& progress);

}  // namespace skde
