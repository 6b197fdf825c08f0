#pragma once

#include <cstdint>

namespace skde::kernels {

inline constexpr unsigned kAllLanes = 0xffffffffu;

/// Returns the sum over a full warp, in every lane. GPUs before 8.0 have no instruction for it.
__device__ inline std::uint32_t warp_sum(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(kAllLanes, value);
#else
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kAllLanes, value, distance);
  return value;
#endif
}

__device__ inline double warp_sum(double value) {
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_xor_sync(kAllLanes, value, distance);
  return value;
}

/// Returns the largest value of a full warp, in every lane.
__device__ inline std::uint32_t warp_maximum(std::uint32_t value) {
#if __CUDA_ARCH__ >= 800
  return __reduce_max_sync(kAllLanes, value);
#else
  for (int distance = 16; distance > 0; distance /= 2)
    value = max(value, __shfl_xor_sync(kAllLanes, value, distance));
  return value;
#endif
}

}  // namespace skde::kernels
