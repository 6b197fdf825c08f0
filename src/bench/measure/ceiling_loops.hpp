#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace skde::bench {

// Loops that reach for one ceiling of the device each and do nothing else. They are enqueued.

/// Copies `count` values of 16 bytes.
void copy_ceiling(const float4* from, float4* to, std::int64_t count, cudaStream_t stream);

/// Adds 1 to each of the `cells` floats, `rounds` times: neighbouring lanes to neighbouring cells.
/// `cells` must be a power of 2.
void coalesced_atomics_ceiling(float* volume, std::int64_t cells, int rounds, cudaStream_t stream);

/// `additions` additions of 1 to random cells; `cells` must be a power of 2.
void random_atomics_ceiling(float* volume, std::int64_t cells, std::int64_t additions,
                            cudaStream_t stream);

/// Threads of fma_ceiling, and the fused multiply-adds that each of them does a round.
inline constexpr int kFmaThreads = 256, kFmaChains = 8;
/// blocks * kFmaThreads threads do `rounds` rounds each; `sums` takes one float a thread.
void fma_ceiling(float* sums, int blocks, int rounds, cudaStream_t stream);

}  // namespace skde::bench
