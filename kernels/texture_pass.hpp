#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace skde::kernels {

/// The input and the outputs of one pass over a density, which prepares it to be drawn.
struct TexturePass {
  const float* values = nullptr;  ///< x fastest
  int dims[3] = {0, 0, 0};
  cudaSurfaceObject_t texture = 0;  ///< 3-D, one float for each cell
  /// 3-D, one float for each 2^3 cells: their mean. May be 0; requires even dims.
  cudaSurfaceObject_t half = 0;
  /// 3-D, two floats for each brick: the least and the greatest value of its cells and of the cells
  /// around them.
  cudaSurfaceObject_t ranges = 0;
  /// Counts of the values that are at least `least`, by log2(value) * bin_scale + bin_offset,
  /// clamped to the bins. They must be 0 before the pass.
  unsigned long long* counts = nullptr;  ///< kTextureBins
  float least = 0, bin_scale = 0, bin_offset = 0;
};

inline constexpr int kTextureBins = 4096;
inline constexpr int kTextureBrick = 8;  // cells along each side

/// Reads the values once and writes all of these. `multiprocessors` are those of the device.
void fill_texture(const TexturePass& pass, int multiprocessors, cudaStream_t stream);

}  // namespace skde::kernels
