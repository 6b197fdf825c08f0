#include <cfloat>

#include "gpu/check.hpp"
#include "kernels/device_moments.hpp"
#include "kernels/warp.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = 128;
constexpr int kSums = 11;   // weight, weight^2, first (3), second (6)
constexpr int kBounds = 6;  // -lower (3), upper (3), both reduced by maximum

struct Partial {
  double sum[kSums];
  double bound[kBounds];
  unsigned long long count;
};

__device__ Partial empty_partial() {
  Partial p;
  for (double& s : p.sum) s = 0;
  for (double& b : p.bound) b = -DBL_MAX;
  p.count = 0;
  return p;
}

__device__ void add_sample(Partial& p, const DevicePoints& points, std::int64_t i,
                           const double shift[3]) {
  const double w = points.weights ? points.weights[i] : 1.0;
  if (!(w > 0)) return;
  double d[3];
  for (int axis = 0; axis < 3; ++axis) {
    const double x = points.xyz[3 * i + axis];
    d[axis] = x - shift[axis];
    p.bound[axis] = fmax(p.bound[axis], -x);
    p.bound[3 + axis] = fmax(p.bound[3 + axis], x);
  }
  p.count += 1;
  p.sum[0] += w;
  p.sum[1] += w * w;
  for (int axis = 0; axis < 3; ++axis) p.sum[2 + axis] += w * d[axis];
  p.sum[5] += w * d[0] * d[0];
  p.sum[6] += w * d[0] * d[1];
  p.sum[7] += w * d[0] * d[2];
  p.sum[8] += w * d[1] * d[1];
  p.sum[9] += w * d[1] * d[2];
  p.sum[10] += w * d[2] * d[2];
}

__device__ void merge_lane(Partial& p, int distance) {
  for (double& s : p.sum) s += __shfl_down_sync(kAllLanes, s, distance);
  for (double& b : p.bound) b = fmax(b, __shfl_down_sync(kAllLanes, b, distance));
  p.count += __shfl_down_sync(kAllLanes, p.count, distance);
}

__device__ void merge_partial(Partial& p, const Partial& other) {
  for (int k = 0; k < kSums; ++k) p.sum[k] += other.sum[k];
  for (int k = 0; k < kBounds; ++k) p.bound[k] = fmax(p.bound[k], other.bound[k]);
  p.count += other.count;
}

__device__ ChunkSums to_chunk(const Partial& p, const double shift[3]) {
  ChunkSums c;
  c.count = p.count;
  c.weight = p.sum[0];
  c.weight_squared = p.sum[1];
  for (int axis = 0; axis < 3; ++axis) {
    c.shift[axis] = shift[axis];
    c.first[axis] = p.sum[2 + axis];
    c.lower[axis] = -p.bound[axis];
    c.upper[axis] = p.bound[3 + axis];
  }
  for (int k = 0; k < 6; ++k) c.second[k] = p.sum[5 + k];
  return c;
}

/// One block per chunk. Its threads stride over it; warps and block reduce in a fixed order.
__global__ void __launch_bounds__(kBlock) sum_chunks_kernel(DevicePoints points, ChunkSums* sums) {
  const std::int64_t length = (points.count + gridDim.x - 1) / gridDim.x;
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * length;
  const std::int64_t end = begin + length < points.count ? begin + length : points.count;
  double shift[3] = {0, 0, 0};
  if (begin < end)
    for (int axis = 0; axis < 3; ++axis) shift[axis] = points.xyz[3 * begin + axis];

  Partial p = empty_partial();
  for (std::int64_t i = begin + threadIdx.x; i < end; i += kBlock) add_sample(p, points, i, shift);
  for (int distance = 16; distance > 0; distance /= 2) merge_lane(p, distance);

  __shared__ Partial warps[kBlock / 32];
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = p;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < kBlock / 32; ++w) merge_partial(p, warps[w]);
    sums[blockIdx.x] = to_chunk(p, shift);
  }
}

}  // namespace

void sum_chunks(const DevicePoints& points, ChunkSums* sums, cudaStream_t stream) {
  sum_chunks_kernel<<<kMomentChunks, kBlock, 0, stream>>>(points, sums);
  gpu::check_launch("sum the moments");
}

Moments::Sums to_sums(const ChunkSums& c) {
  Moments::Sums sums;
  sums.count = c.count;
  sums.weight = c.weight;
  sums.weight_squared = c.weight_squared;
  sums.shift = {c.shift[0], c.shift[1], c.shift[2]};
  sums.first = {c.first[0], c.first[1], c.first[2]};
  sums.second = {c.second[0], c.second[1], c.second[2], c.second[3], c.second[4], c.second[5]};
  sums.bounds = {{c.lower[0], c.lower[1], c.lower[2]}, {c.upper[0], c.upper[1], c.upper[2]}};
  return sums;
}

}  // namespace skde::kernels
