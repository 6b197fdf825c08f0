#include "core/kernel/b_spline.hpp"
#include "gpu/check.hpp"
#include "kernels/spectral/node_spread.hpp"
#include "kernels/warp.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = NodeSpread::kBlock;
constexpr int kRowBlock = 128;  // threads of a block along a row, which may be short
constexpr double kTileOne = 1 << kTileBits;

unsigned blocks_for(std::int64_t items, std::int64_t each) {
  return static_cast<unsigned>((items + each - 1) / each);
}

__device__ double node_position(const DevicePoints& points, const NodeSpread& spread,
                                std::int64_t i, int axis) {
  const double at =
      (points.xyz[3 * i + axis] - spread.origin[axis]) / spread.spacing[axis] + spread.first[axis];
  if (!spread.wraps[axis]) return at;
  const double nodes = spread.nodes[axis], within = at - nodes * floor(at / nodes);
  return within < nodes ? within : 0;  // positions just below 0 round to `nodes`
}

__global__ void key_kernel(DevicePoints points, NodeSpread spread, std::uint32_t* keys,
                           std::uint32_t* indices) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i >= points.count) return;
  const int half = spread.order / 2;
  bool reaches = points.weights == nullptr || points.weights[i] > 0;
  std::int64_t key = 0;
  for (int axis = 2; axis >= 0; --axis) {
    const double at = node_position(points, spread, i, axis);
    reaches = reaches && (spread.wraps[axis] || (at >= half - 1 && at < spread.nodes[axis] - half));
    const std::int32_t tile = reaches ? static_cast<std::int32_t>(at) / NodeSpread::tile(axis) : 0;
    key = key * spread.tiles(axis) + tile;
  }
  keys[i] = static_cast<std::uint32_t>(reaches ? key : spread.tile_count());
  indices[i] = static_cast<std::uint32_t>(i);
}

template <class Real>
__global__ void gather_kernel(DevicePoints points, NodeSpread spread, const std::uint32_t* indices,
                              TilePoint<Real>* sorted) {
  const std::int64_t k = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (k >= points.count) return;
  const std::int64_t i = indices[k];
  TilePoint<Real> point;
  for (int axis = 0; axis < 3; ++axis) {
    const double at = node_position(points, spread, i, axis), tile = NodeSpread::tile(axis);
    const double within = at - tile * floor(at / tile);
    // Rounded down, so that the node below stays the same. Samples that reach no cell are not read.
    point.at[axis] = static_cast<std::uint32_t>(fmin(fmax(within, 0.0), tile) * kTileOne);
  }
  point.weight =
      static_cast<Real>((points.weights ? points.weights[i] : 1.0) * spread.weight_scale);
  sorted[k] = point;
}

/// The first node that the samples of a block's current tile may touch.
struct TileFrame {
  std::int32_t first[3];
};

/// Computes the values of a sample's splines along an axis. Returns the first node, counted from
/// the first one that the tile's samples may touch.
template <int M, class Real>
__device__ int spline_along(std::uint32_t at, Real (&values)[M]) {
  const std::uint32_t rest = at & ((1u << kTileBits) - 1);
  b_spline_values<M>(static_cast<Real>(rest) * static_cast<Real>(1 / kTileOne), values);
  return static_cast<int>(at >> kTileBits);
}

/// Calls add(i, j, k, value) for slice `part` of a sample's nodes, or for all slices if part < 0.
/// The slices form a loop, so that the splines along x and y stay in registers.
template <int M, class Real, class Add>
__device__ void add_point(const TilePoint<Real>& point, Real weight, int part, Add&& add) {
  Real along_x[M], along_y[M], along_z[M];
  const int x = spline_along<M>(point.at[0], along_x), y = spline_along<M>(point.at[1], along_y),
            z = spline_along<M>(point.at[2], along_z);
  const int begin = part < 0 ? 0 : part, end = part < 0 ? M : part + 1;
#pragma unroll 1
  for (int k = begin; k < end; ++k) {
    const Real of_slice = weight * along_z[k];
#pragma unroll
    for (int j = 0; j < M; ++j) {
      const Real of_row = of_slice * along_y[j];
#pragma unroll
      for (int i = 0; i < M; ++i) add(x + i, y + j, z + k, of_row * along_x[i]);
    }
  }
}

/// Calls body(sample, part) for a run's samples: for whole samples, or for their slices if there
/// are too few samples for the threads.
template <int M, class Body>
__device__ void for_each_part(int count, Body&& body) {
  if (count * 2 > kBlock) {
    for (int s = threadIdx.x; s < count; s += kBlock) body(s, -1);
  } else {
    for (int u = threadIdx.x; u < count * M; u += kBlock) body(u % count, u / count);
  }
}

/// Returns the block's sum in every thread; reproducible.
__device__ float block_sum(float value) {
  __shared__ float warps[kBlock / 32];
  for (int distance = 16; distance > 0; distance /= 2)
    value += __shfl_down_sync(kAllLanes, value, distance);
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
  __syncthreads();
  float sum = 0;
  for (int w = 0; w < kBlock / 32; ++w) sum += warps[w];
  return sum;
}

/// Returns a shift with which 32-bit sums cannot overflow: one of their units is 2^shift integers.
/// A sample adds at most the product of three splines at their middle to a node.
template <int M>
__device__ int shift_for(float weights) {
  constexpr int kBits = 30;
  constexpr float kMiddle = M == 4    ? 0.2964f
                            : M == 6  ? 0.1665f
                            : M == 8  ? 0.1103f
                            : M == 10 ? 0.0799f
                                      : 0.0613f;
  const int bits = ilogbf(fmaxf(kMiddle * weights, 1.0f)) + 1;
  return bits > kBits ? bits - kBits : 0;
}

template <int M>
struct TileSums {
  static constexpr int kX = NodeSpread::kTileX + M - 1, kY = NodeSpread::kTileY + M - 1,
                       kZ = NodeSpread::kTileZ + M - 1;
  static constexpr int kSize = kX * kY * kZ;
};

/// Returns the index of a node along an axis; `number` counts from tile.first. Wrapping is a
/// template parameter, because it would halve the speed of axes that do not wrap.
template <bool Wraps>
__device__ std::int64_t node_along(const NodeSpread& spread, const TileFrame& tile, int axis,
                                   int number) {
  const std::int32_t node = tile.first[axis] + number;
  if (!Wraps || !spread.wraps[axis]) return node;
  const std::int32_t nodes = spread.nodes[axis], rest = node % nodes;
  return rest < 0 ? rest + nodes : rest;
}

template <bool Wraps>
__device__ void add_to_node(const NodeSpread& spread, const TileFrame& tile, int i, int j, int k,
                            std::int64_t value, std::int64_t* nodes) {
  const std::int64_t at = (node_along<Wraps>(spread, tile, 2, k) * spread.nodes[1] +
                           node_along<Wraps>(spread, tile, 1, j)) *
                              spread.row() +
                          node_along<Wraps>(spread, tile, 0, i);
  atomicAdd(reinterpret_cast<unsigned long long*>(nodes) + at,
            static_cast<unsigned long long>(value));
}

/// Sums the run in shared memory and adds the nonzero sums to the nodes.
template <bool Wraps, int M>
__device__ void add_run(const TilePoint<float>* run, int count, const NodeSpread& spread,
                        const TileFrame& tile, int* sums, std::int64_t* nodes) {
  using Sums = TileSums<M>;
  float weight = 0;
  for (int s = threadIdx.x; s < count; s += kBlock) weight += run[s].weight;
  for (int c = threadIdx.x; c < Sums::kSize; c += kBlock) sums[c] = 0;
  const int shift = shift_for<M>(block_sum(weight));  // also waits for the zeros
  const float unit = ldexpf(1.0f, -shift);
  for_each_part<M>(count, [&](int s, int part) {
    const TilePoint<float> point = run[s];
    add_point<M>(point, point.weight * unit, part, [&](int i, int j, int k, float value) {
      atomicAdd(sums + (k * Sums::kY + j) * Sums::kX + i, __float2int_rn(value));
    });
  });
  __syncthreads();
  for (int c = threadIdx.x; c < Sums::kSize; c += kBlock) {
    const int value = sums[c];
    if (value == 0) continue;
    add_to_node<Wraps>(spread, tile, c % Sums::kX, c / Sums::kX % Sums::kY,
                       c / (Sums::kX * Sums::kY), static_cast<std::int64_t>(value) << shift, nodes);
  }
  __syncthreads();
}

/// Adds the run's samples to the nodes one by one.
template <bool Wraps, int M, class Real>
__device__ void add_few(const TilePoint<Real>* run, int count, const NodeSpread& spread,
                        const TileFrame& tile, std::int64_t* nodes) {
  for_each_part<M>(count, [&](int s, int part) {
    const TilePoint<Real> point = run[s];
    add_point<M>(point, point.weight, part, [&](int i, int j, int k, Real value) {
      const auto whole =
          static_cast<std::int64_t>(sizeof(Real) == 4 ? __float2ll_rn(static_cast<float>(value))
                                                      : __double2ll_rn(static_cast<double>(value)));
      if (whole != 0) add_to_node<Wraps>(spread, tile, i, j, k, whole, nodes);
    });
  });
}

/// Returns the first key in [begin, count) that differs from keys[begin], or `count`.
__device__ int end_of_run(const std::uint32_t* keys, int begin, int count) {
  int first = begin + 1, last = count;
  while (first < last) {
    const int middle = (first + last) / 2;
    if (keys[middle] == keys[begin])
      first = middle + 1;
    else
      last = middle;
  }
  return first;
}

template <int M>
__device__ TileFrame frame_of(std::uint32_t key, const NodeSpread& spread) {
  const auto across = static_cast<std::uint32_t>(spread.tiles(0)),
             along = static_cast<std::uint32_t>(spread.tiles(1));
  const std::uint32_t tile[3] = {key % across, key / across % along, key / across / along};
  TileFrame frame;
  for (int axis = 0; axis < 3; ++axis)
    frame.first[axis] = static_cast<std::int32_t>(tile[axis]) * NodeSpread::tile(axis) - M / 2 + 1;
  return frame;
}

/// Marks the tile and its neighbours, which its samples' splines may reach: to either side they
/// extend at most a tile's shortest side. If nodes wrap, all tiles are already marked.
__device__ void touch_around(std::uint32_t key, const NodeSpread& spread, unsigned char* touched) {
  if (threadIdx.x >= 27) return;
  const std::int32_t across = spread.tiles(0), along = spread.tiles(1), up = spread.tiles(2);
  const auto tile = static_cast<std::int32_t>(key), step = static_cast<std::int32_t>(threadIdx.x);
  const std::int32_t x = tile % across + step % 3 - 1, y = tile / across % along + step / 3 % 3 - 1,
                     z = tile / across / along + step / 9 - 1;
  if (x < 0 || y < 0 || z < 0 || x >= across || y >= along || z >= up) return;
  touched[(static_cast<std::int64_t>(z) * along + y) * across + x] = 1;
}

/// Each block processes its samples run by run; all samples of a run lie in one tile.
template <int M, class Real, bool Wraps>
__global__ void __launch_bounds__(kBlock)
    spread_kernel(const TilePoint<Real>* sorted, const std::uint32_t* keys, std::int64_t count,
                  NodeSpread spread, std::int64_t* nodes, unsigned char* touched) {
  static_assert(M / 2 <= NodeSpread::kTileY && M / 2 <= NodeSpread::kTileZ);
  constexpr bool kFloat = sizeof(Real) == 4;
  __shared__ std::uint32_t own_keys[NodeSpread::kChunk];
  __shared__ int sums[kFloat ? TileSums<M>::kSize : 1];
  const std::int64_t begin = static_cast<std::int64_t>(blockIdx.x) * NodeSpread::kChunk;
  const auto own =
      static_cast<int>(count - begin < NodeSpread::kChunk ? count - begin : NodeSpread::kChunk);
  for (int s = threadIdx.x; s < own; s += kBlock) own_keys[s] = keys[begin + s];
  __syncthreads();
  const auto outside = static_cast<std::uint32_t>(spread.tile_count());
  for (int at = 0, end = 0; at < own && own_keys[at] != outside; at = end) {
    end = end_of_run(own_keys, at, own);
    touch_around(own_keys[at], spread, touched);
    const TileFrame tile = frame_of<M>(own_keys[at], spread);
    const TilePoint<Real>* const run = sorted + begin + at;
    if constexpr (kFloat) {
      if (end - at > NodeSpread::kFew) {
        add_run<Wraps, M>(run, end - at, spread, tile, sums, nodes);
        continue;
      }
    }
    add_few<Wraps, M>(run, end - at, spread, tile, nodes);
  }
}

/// Each thread processes the rows of a slice that lie in its tile.
template <class Real>
__global__ void __launch_bounds__(kRowBlock)
    convert_kernel(std::int64_t* sums, const unsigned char* touched, NodeSpread spread, Real unit,
                   Real* field) {
  constexpr bool kInPlace = sizeof(Real) == sizeof(std::int64_t);
  constexpr std::int32_t kRows = NodeSpread::kTileY;
  const auto i = static_cast<std::int32_t>(blockIdx.x * kRowBlock + threadIdx.x);
  const auto begin = static_cast<std::int32_t>(blockIdx.y) * kRows,
             k = static_cast<std::int32_t>(blockIdx.z);
  const std::int64_t row = spread.row();
  if (i >= row) return;
  const std::int64_t tile =
      (static_cast<std::int64_t>(k / NodeSpread::kTileZ) * spread.tiles(1) + blockIdx.y) *
          spread.tiles(0) +
      i / NodeSpread::kTileX;
  // The last two numbers of a row are padding for the transform.
  const bool holds = i < spread.nodes[0] && touched[tile] != 0;
  if (kInPlace && !holds) return;
  const std::int32_t rows = min(kRows, spread.nodes[1] - begin);
  const std::int64_t at = (static_cast<std::int64_t>(k) * spread.nodes[1] + begin) * row + i;
  std::int64_t own[kRows] = {};
#pragma unroll
  for (std::int32_t j = 0; j < kRows; ++j)
    if (holds && j < rows) own[j] = sums[at + j * row];
#pragma unroll
  for (std::int32_t j = 0; j < kRows; ++j) {
    if (j >= rows) break;
    if (!kInPlace && own[j] != 0) sums[at + j * row] = 0;
    field[at + j * row] = static_cast<Real>(own[j]) * unit;
  }
}

}  // namespace

void key_by_tile(const DevicePoints& points, const NodeSpread& spread, std::uint32_t* keys,
                 std::uint32_t* indices, cudaStream_t stream) {
  key_kernel<<<blocks_for(points.count, kBlock), kBlock, 0, stream>>>(points, spread, keys,
                                                                      indices);
  gpu::check_launch("key the samples by tile");
}

template <class Real>
void gather_by_tile(const DevicePoints& points, const NodeSpread& spread,
                    const std::uint32_t* indices, TilePoint<Real>* sorted, cudaStream_t stream) {
  gather_kernel<Real>
      <<<blocks_for(points.count, kBlock), kBlock, 0, stream>>>(points, spread, indices, sorted);
  gpu::check_launch("gather the samples by tile");
}

template <class Real>
void spread_samples(const TilePoint<Real>* sorted, const std::uint32_t* keys, std::int64_t count,
                    const NodeSpread& spread, std::int64_t* nodes, unsigned char* touched,
                    cudaStream_t stream) {
  const unsigned blocks = blocks_for(count, NodeSpread::kChunk);
  const auto launch = [&]<int M>() {
    const auto kernel =
        spread.any_wraps() ? spread_kernel<M, Real, true> : spread_kernel<M, Real, false>;
    kernel<<<blocks, kBlock, 0, stream>>>(sorted, keys, count, spread, nodes, touched);
  };
  if (spread.order == 4)
    launch.template operator()<4>();
  else if (spread.order == 6)
    launch.template operator()<6>();
  else if (spread.order == 8)
    launch.template operator()<8>();
  else if (spread.order == 10)
    launch.template operator()<10>();
  else
    launch.template operator()<12>();
  gpu::check_launch("spread the samples");
}

template <class Real>
void convert_sums(std::int64_t* sums, const unsigned char* touched, const NodeSpread& spread,
                  double unit, Real* field, cudaStream_t stream) {
  const dim3 grid(blocks_for(spread.row(), kRowBlock), static_cast<unsigned>(spread.tiles(1)),
                  static_cast<unsigned>(spread.nodes[2]));
  convert_kernel<Real><<<grid, static_cast<unsigned>(kRowBlock), 0, stream>>>(
      sums, touched, spread, static_cast<Real>(unit), field);
  gpu::check_launch("convert the sums");
}

template void gather_by_tile(const DevicePoints&, const NodeSpread&, const std::uint32_t*,
                             TilePoint<float>*, cudaStream_t);
template void gather_by_tile(const DevicePoints&, const NodeSpread&, const std::uint32_t*,
                             TilePoint<double>*, cudaStream_t);
template void spread_samples(const TilePoint<float>*, const std::uint32_t*, std::int64_t,
                             const NodeSpread&, std::int64_t*, unsigned char*, cudaStream_t);
template void spread_samples(const TilePoint<double>*, const std::uint32_t*, std::int64_t,
                             const NodeSpread&, std::int64_t*, unsigned char*, cudaStream_t);
template void convert_sums(std::int64_t*, const unsigned char*, const NodeSpread&, double, float*,
                           cudaStream_t);
template void convert_sums(std::int64_t*, const unsigned char*, const NodeSpread&, double, double*,
                           cudaStream_t);

}  // namespace skde::kernels
