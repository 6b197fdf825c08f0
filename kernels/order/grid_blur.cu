#include "gpu/check.hpp"
#include "kernels/order/float_four.cuh"
#include "kernels/order/grid_arrangement.hpp"

/// Means over windows as differences of sums from the start of a row or column.
namespace skde::kernels {
namespace {

constexpr int kRowBlock = 256, kLanes = 32, kSegments = 32;

/// Sums over cells [first, last] of a line, from sums(i) over all before i.
template <class Sums>
__device__ auto sum_between(const Sums& sums, int first, int last) {
  return sums(last + 1) - sums(first);
}

/// The sum over the cells within `radius` of `at` along a line of `length` that reflects.
template <class Sums>
__device__ auto window_sum(const Sums& sums, int at, int radius, int length) {
  const int first = at - radius, last = at + radius;
  auto sum = sum_between(sums, max(first, 0), min(last, length - 1));
  if (first < 0) sum = sum + sum_between(sums, 1, -first);
  if (last >= length) sum = sum + sum_between(sums, 2 * length - 2 - last, length - 2);
  return sum;
}

/// The sum of what the threads of the block before this one have.
__device__ float4 sum_before(float4 own, float4 (&of_warp)[kRowBlock / kLanes]) {
  const int lane = threadIdx.x % kLanes, warp = threadIdx.x / kLanes;
  float4 sum = own;
  for (int step = 1; step < kLanes; step *= 2) {
    const float4 left{__shfl_up_sync(~0u, sum.x, step), __shfl_up_sync(~0u, sum.y, step),
                      __shfl_up_sync(~0u, sum.z, step), __shfl_up_sync(~0u, sum.w, step)};
    if (lane >= step) sum = sum + left;
  }
  float4 before{__shfl_up_sync(~0u, sum.x, 1), __shfl_up_sync(~0u, sum.y, 1),
                __shfl_up_sync(~0u, sum.z, 1), __shfl_up_sync(~0u, sum.w, 1)};
  if (lane == 0) before = float4{};
  if (lane == kLanes - 1) of_warp[warp] = sum;
  __syncthreads();
  for (int i = 0; i < warp; ++i) before = before + of_warp[i];
  return before;
}

/// A block has four columns of a row.
__global__ void row_kernel(DeviceGrid grid, int radius) {
  extern __shared__ float4 sums[];  // width + 1
  __shared__ float4 of_warp[kRowBlock / kLanes];
  const int fours = static_cast<int>(grid.columns / 4), width = static_cast<int>(grid.width);
  const std::uint32_t row = blockIdx.x / fours * grid.width;
  const std::size_t column = std::size_t{4} * (blockIdx.x % fours);
  for (int x = threadIdx.x; x < width; x += kRowBlock) {
    const std::size_t cell = filled_cell(row + x, grid.width, grid.items);
    sums[x + 1] = load_four(grid.values, cell * grid.columns + column);
  }
  if (threadIdx.x == 0) sums[0] = float4{};
  __syncthreads();
  const int run = (width + kRowBlock - 1) / kRowBlock;
  const int first = min(static_cast<int>(threadIdx.x) * run, width), end = min(first + run, width);
  float4 sum{};
  for (int x = first; x < end; ++x) sums[x + 1] = sum = sum + sums[x + 1];
  const float4 before = sum_before(sum, of_warp);
  for (int x = first; x < end; ++x) sums[x + 1] = before + sums[x + 1];
  __syncthreads();
  const float share = 1 / static_cast<float>(2 * radius + 1);
  for (int x = threadIdx.x; x < width; x += kRowBlock) {
    const auto at = [&](int i) { return sums[i]; };
    store_four(grid.sums, (std::size_t{row} + x) * grid.columns + column,
               window_sum(at, x, radius, width) * share);
  }
}

/// A block has 32 numbers of each row, a warp some of the rows. Sums along y replace what the rows
/// left; after the barrier, the block reads only what it wrote.
__global__ void column_kernel(DeviceGrid grid, int radius) {
  __shared__ float of_segment[kSegments][kLanes];
  const int lane = threadIdx.x % kLanes, segment = threadIdx.x / kLanes;
  const int height = static_cast<int>(grid.height);
  const std::size_t row = std::size_t{grid.width} * grid.columns;
  const std::size_t column = std::size_t{blockIdx.x} * kLanes + lane;
  const bool inside = column < row;
  const int run = (height + kSegments - 1) / kSegments;
  const int first = min(segment * run, height), end = min(first + run, height);
  float sum = 0;
  if (inside)
    for (int y = first; y < end; ++y) sum += grid.sums[y * row + column];
  of_segment[segment][lane] = sum;
  __syncthreads();
  sum = 0;
  for (int i = 0; i < segment; ++i) sum += of_segment[i][lane];
  if (inside)
    for (int y = first; y < end; ++y) {
      sum += grid.sums[y * row + column];
      grid.sums[y * row + column] = sum;
    }
  __syncthreads();
  if (!inside) return;
  const auto at = [&](int i) { return i == 0 ? 0.0f : grid.sums[(i - 1) * row + column]; };
  const float share = 1 / static_cast<float>(2 * radius + 1);
  for (int y = first; y < end; ++y)
    grid.target[y * row + column] = window_sum(at, y, radius, height) * share;
}

}  // namespace

void blur_grid(const DeviceGrid& grid, std::uint32_t radius_x, std::uint32_t radius_y,
               cudaStream_t stream) {
  static_assert(sizeof(float4) == 16);
  const std::size_t shared = blur_bytes(grid.width);
  gpu::check(cudaFuncSetAttribute(row_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                  static_cast<int>(shared)),
             "reserve shared memory for a row");
  row_kernel<<<grid.height*(grid.columns / 4), kRowBlock, shared, stream>>>(
      grid, static_cast<int>(radius_x));
  gpu::check_launch("blur the rows of a grid");
  const std::size_t row = std::size_t{grid.width} * grid.columns;
  column_kernel<<<static_cast<unsigned>((row + kLanes - 1) / kLanes), kLanes * kSegments, 0,
                  stream>>>(grid, static_cast<int>(radius_y));
  gpu::check_launch("blur the columns of a grid");
}

}  // namespace skde::kernels
