#pragma once

#include <array>
#include <cstdint>

#include "core/kernel/ellipsoid.hpp"
#include "core/space.hpp"

namespace skde::kernels {

/// The space in which a kernel is a ball of radius 1, about an origin near its points, and cells of
/// one edge in it. Made on the host, passed to the kernels by value.
struct BallLattice {
  Ellipsoid<double> ellipsoid;  ///< of the kernel, in world units
  double origin[3];             ///< in world units
  double lower[3];              ///< corner of the first cell, in radii
  double edge;                  ///< of a cell
  std::int32_t counts[3];       ///< of cells; their product fits 32 bits

  SKDE_HOST_DEVICE std::int64_t cells() const {
    return static_cast<std::int64_t>(counts[0]) * counts[1] * counts[2];
  }
  /// A place in world units, in radii.
  SKDE_HOST_DEVICE void place(const double* world, double (&u)[3]) const {
    turn(world[0] - origin[0], world[1] - origin[1], world[2] - origin[2], u);
  }
  /// A difference in world units, in radii.
  SKDE_HOST_DEVICE void turn(double dx, double dy, double dz, double (&u)[3]) const {
    const Ellipsoid<double>& e = ellipsoid;
    u[0] = (dx - e.bxy * dy - e.bxz * dz) * e.inv_sx;
    u[1] = (dy - e.bzy * dz) * e.inv_sy;
    u[2] = dz * e.inv_sz;
  }
  /// The cell along an axis, of the first and the last where a place is beyond them.
  SKDE_HOST_DEVICE std::int32_t along(int axis, double u) const {
    const double cell = (u - lower[axis]) / edge;
    const std::int32_t last = counts[axis] - 1;
    return cell < 1 ? 0 : cell > last ? last : static_cast<std::int32_t>(cell);
  }
};

/// The lattice about points within `box` (world units) and what is within reach of them, of at most
/// about so many cells, none of them much finer than is of use.
BallLattice make_ball_lattice(const Ellipsoid<double>& ellipsoid, const Box& box, double cells);

}  // namespace skde::kernels
