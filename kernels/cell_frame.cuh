#pragma once

#include <cstdint>

#include "core/grid.hpp"
#include "kernels/located_samples.hpp"

namespace skde::kernels {

/// What places points in cells of a grid.
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

/// Cell coordinate of point i along an axis; centres of cells are at whole numbers.
__device__ inline double cell_position(const DevicePoints& points, const CellFrame& frame,
                                       std::int64_t i, int axis) {
  return (points.xyz[3 * i + axis] - frame.lower[axis]) / frame.spacing[axis] - 0.5;
}

}  // namespace skde::kernels
