#pragma once

#include <cstdint>

namespace skde::kernels {

// Loops that each approach one ceiling of the device and do nothing else.

inline constexpr int kFmaChains = 8;  // independent fused multiply-adds per thread and round

__device__ inline std::int64_t thread_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

static __global__ void copy_loop(const float4* from, float4* to) {
  to[thread_index()] = from[thread_index()];
}

/// Adds 1 to each of the `cells` floats, a power of 2, `rounds` times, with `cells` threads.
/// Neighbouring lanes add to neighbouring cells.
static __global__ void coalesced_loop(float* volume, std::int64_t cells, int rounds) {
  constexpr std::int64_t kStride = 65536 + 32;
  // Each round adds elsewhere, so that no addition waits for the previous one.
  for (int round = 0; round < rounds; ++round)
    atomicAdd(volume + ((thread_index() + round * kStride) & (cells - 1)), 1.0F);
}

/// Each thread adds 1 to one random float among `cells`, a power of 2.
static __global__ void random_loop(float* volume, std::int64_t cells) {
  std::uint64_t word = static_cast<std::uint64_t>(thread_index()) * 0x9e3779b97f4a7c15u;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word ^= word >> 27;
  atomicAdd(volume + (word & static_cast<std::uint64_t>(cells - 1)), 1.0F);
}

static __global__ void fma_loop(float* sums, int rounds, float factor) {
  float chain[kFmaChains], sum = 0;
#pragma unroll
  for (int k = 0; k < kFmaChains; ++k) chain[k] = static_cast<float>(threadIdx.x + k);
#pragma unroll 4
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < kFmaChains; ++k) chain[k] = fmaf(chain[k], factor, 0.25F);
  }
#pragma unroll
  for (int k = 0; k < kFmaChains; ++k) sum += chain[k];
  sums[thread_index()] = sum;
}

}  // namespace skde::kernels
