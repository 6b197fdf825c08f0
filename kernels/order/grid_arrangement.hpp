#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/cloud/grid_groups.hpp"

/// Items that move about a grid until neighbours are alike: a blur of the grid is the target, and
/// groups of four cells take the permutation of their items that is nearest to it.
namespace skde::kernels {

/// A grid in device memory, of rows of `width` cells. The numbers of a cell are `columns` floats, a
/// multiple of 4. The caller provides the arrays.
struct DeviceGrid {
  std::uint32_t width = 0, height = 0;
  std::uint32_t items = 0;  ///< the cells from here on are empty
  std::uint32_t columns = 0;
  float* values = nullptr;           ///< (height, width, columns)
  float* sums = nullptr;             ///< likewise; work memory of the blur
  float* target = nullptr;           ///< likewise
  std::uint32_t* item_at = nullptr;  ///< (height, width)
};

/// Bytes of shared memory in which blur_grid() keeps a row of this width. It needs less than a
/// kilobyte besides.
constexpr std::size_t blur_bytes(std::uint32_t width) { return (std::size_t{width} + 1) * 16; }

/// Writes the means of the values over 2 radius + 1 cells along x and y to the target. The grid
/// reflects at its edges. A radius is below half of the side. The cost does not depend on it.
void blur_grid(const DeviceGrid& grid, std::uint32_t radius_x, std::uint32_t radius_y,
               cudaStream_t stream);

/// Permutes the items of each group. Runs give the same bits.
void assign_groups(const DeviceGrid& grid, const GroupPass& pass, cudaStream_t stream);

}  // namespace skde::kernels
