#include "bench/measure/ceiling_loops.hpp"
#include "gpu/check.hpp"

namespace skde::bench {
namespace {

constexpr int kBlock = 256;
constexpr std::int64_t kRoundStride = 65536 + 32;

unsigned blocks_for(std::int64_t threads) {
  return static_cast<unsigned>((threads + kBlock - 1) / kBlock);
}

__device__ std::int64_t thread_index() {
  return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
}

__global__ void copy_kernel(const float4* from, float4* to, std::int64_t count) {
  const std::int64_t i = thread_index();
  if (i < count) to[i] = from[i];
}

__global__ void coalesced_kernel(float* volume, std::int64_t cells, int rounds) {
  const std::int64_t i = thread_index();
  if (i >= cells) return;
  // Each round is elsewhere, so that no addition waits for the one before.
  for (int round = 0; round < rounds; ++round)
    atomicAdd(volume + ((i + round * kRoundStride) & (cells - 1)), 1.0F);
}

__global__ void random_kernel(float* volume, std::int64_t cells, std::int64_t additions) {
  const std::int64_t i = thread_index();
  if (i >= additions) return;
  std::uint64_t word = static_cast<std::uint64_t>(i) * 0x9e3779b97f4a7c15u;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word ^= word >> 27;
  atomicAdd(volume + (word & static_cast<std::uint64_t>(cells - 1)), 1.0F);
}

__global__ void __launch_bounds__(kFmaThreads) fma_kernel(float* sums, int rounds, float factor) {
  float chain[kFmaChains];
#pragma unroll
  for (int k = 0; k < kFmaChains; ++k) chain[k] = static_cast<float>(threadIdx.x + k);
#pragma unroll 4
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int k = 0; k < kFmaChains; ++k) chain[k] = fmaf(chain[k], factor, 0.25F);
  }
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kFmaChains; ++k) sum += chain[k];
  sums[thread_index()] = sum;
}

}  // namespace

void copy_ceiling(const float4* from, float4* to, std::int64_t count, cudaStream_t stream) {
  copy_kernel<<<blocks_for(count), kBlock, 0, stream>>>(from, to, count);
  gpu::check_launch("copy");
}

void coalesced_atomics_ceiling(float* volume, std::int64_t cells, int rounds, cudaStream_t stream) {
  coalesced_kernel<<<blocks_for(cells), kBlock, 0, stream>>>(volume, cells, rounds);
  gpu::check_launch("coalesced atomics");
}

void random_atomics_ceiling(float* volume, std::int64_t cells, std::int64_t additions,
                            cudaStream_t stream) {
  random_kernel<<<blocks_for(additions), kBlock, 0, stream>>>(volume, cells, additions);
  gpu::check_launch("random atomics");
}

void fma_ceiling(float* sums, int blocks, int rounds, cudaStream_t stream) {
  fma_kernel<<<static_cast<unsigned>(blocks), kFmaThreads, 0, stream>>>(sums, rounds, 0.5F);
  gpu::check_launch("fused multiply-adds");
}

}  // namespace skde::bench
