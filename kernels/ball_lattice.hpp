#pragma once

#include <array>
#include <cstdint>

#include "core/kernel/ellipsoid.hpp"
#include "core/space/space.hpp"

namespace skde::kernels {

/// A lattice of cubic cells in the space in which a kernel is a ball of radius 1. The origin lies
/// near the points. Made on the host, passed to the kernels by value.
struct BallLattice {
  Ellipsoid<double> ellipsoid;  ///< of the kernel, in world units
  double origin[3];             ///< in world units
  double lower[3];              ///< corner of the first cell, in radii
  double edge;                  ///< edge of a cell, in radii
  std::int32_t counts[3];       ///< cells per axis; their product fits 32 bits

  SKDE_HOST_DEVICE std::int64_t cells() const {
    return static_cast<std::int64_t>(counts[0]) * counts[1] * counts[2];
  }
  /// Transforms a place from world units to radii.
  SKDE_HOST_DEVICE void place(const double* world, double (&u)[3]) const {
    turn(world[0] - origin[0], world[1] - origin[1], world[2] - origin[2], u);
  }
  /// Transforms a difference from world units to radii.
  SKDE_HOST_DEVICE void turn(double dx, double dy, double dz, double (&u)[3]) const {
    const Ellipsoid<double>& e = ellipsoid;
    u[0] = (dx - e.bxy * dy - e.bxz * dz) * e.inv_sx;
    u[1] = (dy - e.bzy * dz) * e.inv_sy;
    u[2] = dz * e.inv_sz;
  }
  /// Returns the index of the cell along an axis, clamped to the first and the last cell.
  SKDE_HOST_DEVICE std::int32_t along(int axis, double u) const {
    const double cell = (u - lower[axis]) / edge;
    const std::int32_t last = counts[axis] - 1;
    return cell < 1 ? 0 : cell > last ? last : static_cast<std::int32_t>(cell);
  }
};

/// Returns the lattice that covers `box` (world units) and everything within reach of it. It has at
/// most `cells` cells, of an edge of at least 0.25 radii: finer ones would be of no use.
BallLattice make_ball_lattice(const Ellipsoid<double>& ellipsoid, const Box& box, double cells);

}  // namespace skde::kernels
