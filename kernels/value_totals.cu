#include "gpu/check.hpp"
#include "kernels/value_totals.hpp"
#include "kernels/warp.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;
constexpr int kWarps = kBlock / 32;

__device__ void merge(Totals& t, const Totals& other) {
  t.sum += other.sum;
  t.maximum = fmax(t.maximum, other.maximum);
  t.least_positive = fmin(t.least_positive, other.least_positive);
}

/// Returns the totals of a block's threads, in thread 0. Warps and blocks reduce in a fixed order.
__device__ Totals total_of_block(Totals t) {
  for (int distance = 16; distance > 0; distance /= 2)
    merge(t, {__shfl_down_sync(kAllLanes, t.sum, distance),
              __shfl_down_sync(kAllLanes, t.maximum, distance),
              __shfl_down_sync(kAllLanes, t.least_positive, distance)});
  __shared__ Totals warps[kWarps];
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = t;
  __syncthreads();
  if (threadIdx.x == 0)
    for (int w = 1; w < kWarps; ++w) merge(t, warps[w]);
  return t;
}

/// The threads of all blocks stride over the values. The last block to end adds up the shares.
template <class Real>
__global__ void __launch_bounds__(kBlock)
    total_values_kernel(const Real* values, std::int64_t count, Totals* shares,
                        std::uint32_t* done) {
  Totals t{0, 0, INFINITY};
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * kBlock;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x; i < count;
       i += stride) {
    const double value = values[i];
    merge(t, {value, value, value > 0 ? value : INFINITY});
  }
  t = total_of_block(t);
  __shared__ bool last;
  if (threadIdx.x == 0) {
    shares[blockIdx.x] = t;
    __threadfence();
    last = atomicAdd(done, 1u) + 1 == gridDim.x;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  Totals all{0, 0, INFINITY};
  for (int k = threadIdx.x; k < kTotalBlocks; k += kBlock)
    merge(all,
          {__ldcg(&shares[k].sum), __ldcg(&shares[k].maximum), __ldcg(&shares[k].least_positive)});
  all = total_of_block(all);
  if (threadIdx.x > 0) return;
  shares[kTotalBlocks] = all;
  *done = 0;
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
void total_values(const Real* values, std::int64_t count, Totals* shares, std::uint32_t* done,
                  cudaStream_t stream) {
  total_values_kernel<<<kTotalBlocks, kBlock, 0, stream>>>(values, count, shares, done);
  gpu::check_launch("sum the values");
}

template <class Real>
void scale_values(Real* values, std::int64_t count, double factor, cudaStream_t stream) {
  scale_values_kernel<<<kTotalBlocks, kBlock, 0, stream>>>(values, count, factor);
  gpu::check_launch("scale the values");
}

template void total_values(const float*, std::int64_t, Totals*, std::uint32_t*, cudaStream_t);
template void total_values(const double*, std::int64_t, Totals*, std::uint32_t*, cudaStream_t);
template void scale_values(float*, std::int64_t, double, cudaStream_t);
template void scale_values(double*, std::int64_t, double, cudaStream_t);

}  // namespace skde::kernels
