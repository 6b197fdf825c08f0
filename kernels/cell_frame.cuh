#pragma once

#include <cstdint>

#include "core/space/grid.hpp"
#include "kernels/located_samples.hpp"

namespace skde::kernels {

/// The grid's frame, which maps points to cells.
struct CellFrame {
  double lower[3], spacing[3];
};

inline CellFrame frame_of(const Grid& grid) {
  CellFrame frame{};
  for (int axis = 0; axis < 3; ++axis) {
    frame.lower[axis] = grid.lower[axis];
    frame.spacing[axis] = grid.spacing[axis];
  }
  return frame;
}

/// Returns the cell coordinate of point i along an axis; cell centres are at integers.
__device__ inline double cell_position(const DevicePoints& points, const CellFrame& frame,
                                       std::int64_t i, int axis) {
  return (points.xyz[3 * i + axis] - frame.lower[axis]) / frame.spacing[axis] - 0.5;
}

}  // namespace skde::kernels
