#pragma once

#include <cuda_runtime_api.h>

#include "core/cloud/moments.hpp"
#include "kernels/located_samples.hpp"

namespace skde::kernels {

/// Sums of one contiguous chunk of the samples about the chunk's first sample; the device's image
/// of Moments::Sums.
struct ChunkSums {
  unsigned long long count;
  double weight, weight_squared;
  double shift[3], first[3];
  double second[6];  ///< xx, xy, xz, yy, yz, zz
  double lower[3], upper[3];
};

/// Chunks that the samples are cut into, whatever the device, so that the sums are the same bits on
/// every one.
inline constexpr int kMomentChunks = 1024;

/// Fills kMomentChunks sums; a chunk without samples has count 0.
void sum_chunks(const DevicePoints& points, ChunkSums* sums, cudaStream_t stream);

Moments::Sums to_sums(const ChunkSums& chunk);

}  // namespace skde::kernels
