#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/kernel/ellipsoid.hpp"
#include "core/space/grid.hpp"
#include "core/space/space.hpp"

namespace skde {

/// A sample in cell units: the nearest cell and the offset from its centre. The distance to any
/// cell is then exact to the last place of Real, in grids of any size.
template <class Real>
struct PlacedSample {
  std::int32_t cell[3];
  Real offset[3];  ///< each in [-0.5, 0.5] if the cell fits 32 bits
  bool reaches;    ///< false if the kernel covers no cell centre of the grid
};

/// Places a sample whose kernel has these half extents, in cells.
template <class Real>
PlacedSample<Real> place_sample(const Grid& grid, Vec3 half, Vec3 world) {
  constexpr double kFarthestCell = 2147483646.0;  // limit of 32 bits; the offset takes the rest
  const Vec3 at = grid.to_cells(world);
  PlacedSample<Real> placed;
  placed.reaches = true;
  for (int axis = 0; axis < 3; ++axis) {
    const double last = static_cast<double>(grid.dims[static_cast<std::size_t>(axis)] - 1);
    placed.reaches = placed.reaches && at[axis] + half[axis] > 0 && at[axis] - half[axis] < last;
    const double cell = std::clamp(std::rint(at[axis]), -kFarthestCell, kFarthestCell);
    placed.cell[axis] = static_cast<std::int32_t>(cell);
    placed.offset[axis] = static_cast<Real>(at[axis] - cell);
  }
  return placed;
}

template <class Real>
PlacedSample<Real> place_sample(const Grid& grid, const Ellipsoid<double>& e, Vec3 world) {
  return place_sample<Real>(grid, Vec3{e.rx, e.ry, e.sz}, world);
}

}  // namespace skde
