#include "kernels/ball_lattice.hpp"

#include <algorithm>
#include <cmath>

namespace skde::kernels {

BallLattice make_ball_lattice(const Ellipsoid<double>& ellipsoid, const Box& box, double cells) {
  constexpr double kFinest = 0.25, kCoarser = 1.25;
  const Vec3 centre = box.centre();
  BallLattice lattice{ellipsoid, {centre.x, centre.y, centre.z}, {}, kFinest, {1, 1, 1}};
  double upper[3];
  for (int corner = 0; corner < 8; ++corner) {
    double world[3], u[3];
    for (int axis = 0; axis < 3; ++axis)
      world[axis] = (corner >> axis & 1 ? box.upper : box.lower)[axis];
    lattice.place(world, u);
    for (int axis = 0; axis < 3; ++axis) {
      lattice.lower[axis] = corner == 0 ? u[axis] : std::min(lattice.lower[axis], u[axis]);
      upper[axis] = corner == 0 ? u[axis] : std::max(upper[axis], u[axis]);
    }
  }
  double extent[3];
  for (int axis = 0; axis < 3; ++axis) {
    lattice.lower[axis] -= 1;
    extent[axis] = upper[axis] + 1 - lattice.lower[axis];
  }
  const auto along = [&](int axis) { return std::floor(extent[axis] / lattice.edge) + 1; };
  while (along(0) * along(1) * along(2) > cells) lattice.edge *= kCoarser;
  for (int axis = 0; axis < 3; ++axis)
    lattice.counts[axis] = static_cast<std::int32_t>(along(axis));
  return lattice;
}

}  // namespace skde::kernels
