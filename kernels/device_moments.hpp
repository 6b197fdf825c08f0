#pragma once

#include <cuda_runtime_api.h>

#include "core/cloud/moments.hpp"
#include "kernels/located_samples.hpp"

namespace skde::kernels {

/// Sums of one contiguous chunk of the samples about the chunk's first sample; the device's
/// counterpart of Moments::Sums.
struct ChunkSums {
  unsigned long long count;
  double weight, weight_squared;
  double shift[3], first[3];
  double second[6];  ///< xx, xy, xz, yy, yz, zz
  double lower[3], upper[3];
};

/// Number of chunks that the samples are divided into. It is the same on every device, so that the
/// sums are bit-identical on all of them.
inline constexpr int kMomentChunks = 1024;

/// Fills kMomentChunks sums; a chunk without samples has count 0.
void sum_chunks(const DevicePoints& points, ChunkSums* sums, cudaStream_t stream);

Moments::Sums to_sums(const ChunkSums& chunk);

}  // namespace skde::kernels
