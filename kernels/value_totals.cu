#include "gpu/check.hpp"
#include "kernels/value_totals.hpp"
#include "kernels/warp.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;

__device__ void merge_lane(BlockTotals& t, int distance) {
  t.sum += __shfl_down_sync(kAllLanes, t.sum, distance);
  t.maximum = fmax(t.maximum, __shfl_down_sync(kAllLanes, t.maximum, distance));
  t.least_positive =
      fmin(t.least_positive, __shfl_down_sync(kAllLanes, t.least_positive, distance));
}

/// The threads of all blocks stride over the values; warps and blocks reduce in a fixed order.
template <class Real>
__global__ void __launch_bounds__(kBlock)
    total_blocks_kernel(const Real* values, std::int64_t count, BlockTotals* totals) {
  BlockTotals t{0, 0, INFINITY};
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kBlock;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x; i < count;
       i += stride) {
    const double value = values[i];
    t.sum += value;
    t.maximum = fmax(t.maximum, value);
    if (value > 0) t.least_positive = fmin(t.least_positive, value);
  }
  for (int distance = 16; distance > 0; distance /= 2) merge_lane(t, distance);
  __shared__ BlockTotals warps[kWarps];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = t;
  __syncthreads();
  if (threadIdx.x > 0) return;
  for (int w = 1; w < kWarps; ++w) {
    t.sum += warps[w].sum;
    t.maximum = fmax(t.maximum, warps[w].maximum);
    t.least_positive = fmin(t.least_positive, warps[w].least_positive);
  }
  totals[blockIdx.x] = t;
}

template <class Real>
__global__ void __launch_bounds__(kBlock)
    scale_values_kernel(Real* values, std::int64_t count, double factor) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kBlock;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x; i < count;
       i += stride)
    values[i] = static_cast<Real>(values[i] * factor);
}

}  // namespace

template <class Real>
void total_blocks(const Real* values, std::int64_t count, BlockTotals* totals,
                  cudaStream_t stream) {
  total_blocks_kernel<<<kTotalBlocks, kBlock, 0, stream>>>(values, count, totals);
  gpu::check_launch("sum the values");
}

template <class Real>
void scale_values(Real* values, std::int64_t count, double factor, cudaStream_t stream) {
  scale_values_kernel<<<kTotalBlocks, kBlock, 0, stream>>>(values, count, factor);
  gpu::check_launch("scale the values");
}

template void total_blocks(const float*, std::int64_t, BlockTotals*, cudaStream_t);
template void total_blocks(const double*, std::int64_t, BlockTotals*, cudaStream_t);
template void scale_values(float*, std::int64_t, double, cudaStream_t);
template void scale_values(double*, std::int64_t, double, cudaStream_t);

}  // namespace skde::kernels
