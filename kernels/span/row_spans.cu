#include <algorithm>

#include "core/kernel/with_profile.hpp"
#include "gpu/check.hpp"
#include "kernels/span/row_spans.hpp"
#include "kernels/span/span_differences.cuh"
#include "kernels/span/span_frame.cuh"
#include "kernels/span/span_ranges.cuh"
#include "kernels/span/span_tiles.cuh"

namespace skde::kernels {
namespace {

constexpr int kPart = 16;  // cells of a row that a warp scans; determines the warps per block

/// Processes the item's candidates, 32 per warp at a time: culls them against the tile, queues the
/// survivors and adds these one by one. Each lane owns a row.
template <int P, class Real, class Word, int Width, SpanPlane Plane>
__device__ void add_candidates(const SpanPlan& plan, const Ellipsoid<Real>& e,
                               const typename SpanWord<Real>::Sample* sorted,
                               const RangeTable& table, const Tile& tile, std::uint32_t first,
                               std::uint32_t last, const TileScale& scale,
                               Differences<kDegree<P>, Word, Width>& diff) {
  constexpr int kWarps = Width / kPart;
  __shared__ SpanFrame<Real> queue[kWarps][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const SpanFrame<Real> row =
      frame_of_row(e, static_cast<Real>(lane % kTileRowsY), static_cast<Real>(lane / kTileRowsY));
  // Squared by an intrinsic: fused into the sums below, sx would be loaded and squared each time.
  Real sx_squared;
  if constexpr (sizeof(Real) == 4)
    sx_squared = __fmul_rn(e.sx, e.sx);
  else
    sx_squared = __dmul_rn(e.sx, e.sx);
  const Real unit = static_cast<Real>(exp2(-static_cast<double>(plan.fraction_bits)));
  Word base[kDegree<P> + 1] = {};
  for (std::uint32_t batch = first + 32 * warp; batch < last; batch += 32 * kWarps) {
    const std::uint32_t candidate = batch + lane;
    bool reaches = false;
    TileSample<Real> s;
    if (candidate < last) {
      s = to_tile<Plane>(sorted[sample_of(table, candidate)], plan, tile, unit, scale);
      reaches = may_reach(s, e, Width);
    }
    const unsigned survivors = __ballot_sync(kAllLanes, reaches);
    if (reaches) queue[warp][__popc(survivors & ((1u << lane) - 1))] = frame_of_sample(e, s);
    __syncwarp();
    const int queued = __popc(survivors);
    if constexpr (sizeof(Real) == 4) {
      // The scale, if common to all samples, stays in a register.
      const auto one = static_cast<float>(scale.one);
#pragma unroll 2
      for (int k = 0; k < queued; ++k)
        add_short_span<P, Width>(queue[warp][k], row, sx_squared,
                                 Plane == SpanPlane::all ? one : queue[warp][k].scale,
                                 &diff.value[0][0][lane]);
    } else {
      for (int k = 0; k < queued; ++k)
        add_span<P, Width>(queue[warp][k], row, sx_squared, lane, diff, base);
    }
    __syncwarp();
  }
  if constexpr (sizeof(Real) == 8)
    for (int n = 0; n <= kDegree<P>; ++n) add_shared(&diff.value[n][0][lane], base[n]);
}

/// Sums the differences along each row and evaluates the polynomials; each warp takes a part of the
/// row. The sums replace the coefficients of degree 0. They are rotated by the cell index so that
/// rows can be read without bank conflicts.
template <int Degree, class Word, int Width>
__device__ void scan_rows(Differences<Degree, Word, Width>& diff) {
  constexpr int kWarps = Width / kPart;
  __shared__ Word part_sum[kWarps][Degree + 1][kTileRows];
  const int row = threadIdx.x % 32, warp = threadIdx.x / 32, begin = warp * kPart;
  Word a[Degree + 1] = {};
  for (int i = begin; i < begin + kPart; ++i)
    for (int n = 0; n <= Degree; ++n) a[n] += diff.value[n][i][row];
  for (int n = 0; n <= Degree; ++n) part_sum[warp][n][row] = a[n];
  __syncthreads();
  for (int n = 0; n <= Degree; ++n) {
    a[n] = 0;
    for (int w = 0; w < warp; ++w) a[n] += part_sum[w][n][row];
  }
  for (int i = begin; i < begin + kPart; ++i) {
#pragma unroll
    for (int n = 0; n <= Degree; ++n) a[n] += diff.value[n][i][row];
    const Word sum = evaluate<Degree, Word>(a, static_cast<Word>(i - Width / 2));
    __syncwarp();
    diff.value[0][i][(row + i) % kTileRows] = sum;
    __syncwarp();
  }
  __syncthreads();
}

/// Calls `body(cell of the volume, cell along the tile, row)` for the tile's cells in the grid,
/// with the lanes along x.
template <class Body>
__device__ void for_each_cell(const SpanPlan& plan, SpanWindow window, const Tile& tile,
                              Body&& body) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int cells = min(plan.width, plan.dims[0] - tile.x);
  for (int row = warp; row < kTileRows; row += blockDim.x / 32) {
    const std::int32_t y = tile.y + row % kTileRowsY, z = tile.z + row / kTileRowsY;
    if (y >= plan.dims[1] || z >= plan.dims[2]) continue;
    const std::int64_t begin = cell_of_row(plan, window, tile.x, y, z);
    for (int i = lane; i < cells; i += 32) body(begin + i, i, row);
  }
}

/// Converts a cell's integer to its density. Rounding may leave a sum below 0. The first plane
/// keeps such values, because the second one may compensate them.
template <SpanPlane Plane, class Word>
__device__ void write_cell(float& cell, Word sum, const TileScale& scale) {
  const double density = static_cast<double>(sum) * scale.to_density[Plane == SpanPlane::second];
  if constexpr (Plane == SpanPlane::all) cell = sum > 0 ? static_cast<float>(density) : 0.0f;
  if constexpr (Plane == SpanPlane::first) cell = static_cast<float>(density);
  if constexpr (Plane == SpanPlane::second) cell = fmaxf(static_cast<float>(cell + density), 0.0f);
}

/// Adds an item's sums to a shared tile, as integers in the volume's own memory. The last of the
/// tile's items converts them to densities.
template <SpanPlane Plane, class Word, class Sums>
__device__ void add_to_shared_tile(const SpanPlan& plan, const SpanArrays& arrays,
                                   SpanWindow window, const Tile& tile, std::uint32_t index,
                                   std::uint32_t items, const TileScale& scale,
                                   const Sums& sum_at) {
  int* const integers =
      Plane == SpanPlane::second ? arrays.second : reinterpret_cast<int*>(arrays.volume);
  const int shift = scale.shift[Plane == SpanPlane::second];
  const Word half = shift > 0 ? Word(1) << (shift - 1) : Word(0);
  for_each_cell(plan, window, tile, [&](std::int64_t cell, int i, int row) {
    const Word sum = sum_at(i, row);
    if (sum != 0) atomicAdd(integers + cell, static_cast<int>((sum + half) >> shift));
  });
  __threadfence();
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(arrays.tile_done + index, 1u) + 1 == items;
  __syncthreads();
  if (!last) return;
  __threadfence();
  for_each_cell(plan, window, tile, [&](std::int64_t cell, int, int) {
    write_cell<Plane>(arrays.volume[cell], __ldcg(integers + cell), scale);
  });
}

template <int P, class Real, int Width, SpanPlane Plane>
__global__ void __launch_bounds__(2 * Width)
    spans_kernel(SpanPlan plan, SpanArrays arrays, SpanWindow window, Ellipsoid<Real> e) {
  using Word = typename SpanWord<Real>::Type;
  constexpr int D = kDegree<P>;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& diff = *reinterpret_cast<Differences<D, Word, Width>*>(memory);
  __shared__ RangeTable table;
  __shared__ std::uint32_t claimed;
  const std::uint32_t items = arrays.counters[0];
  while (true) {
    if (threadIdx.x == 0) claimed = atomicAdd(arrays.counters + 1, 1u);
    constexpr int kVectors = sizeof(diff) / sizeof(int4);
    for (int k = threadIdx.x; k < kVectors; k += 2 * Width) reinterpret_cast<int4*>(memory)[k] = {};
    __syncthreads();
    if (claimed >= items) return;
    const SpanItem item = arrays.items[claimed];
    const Tile tile = tile_at(plan, window, item.tile);
    const std::uint32_t candidates = arrays.tile_candidates[item.tile];
    const TileScale scale = arrays.tile_scales[item.tile];
    fill_ranges(table, plan, tile, arrays.starts);
    const std::uint32_t last = min(item.first + plan.item, candidates);
    const typename SpanWord<Real>::Sample* sorted;
    if constexpr (sizeof(Real) == 4)
      sorted = arrays.fixed;
    else
      sorted = arrays.precise;
    add_candidates<P, Real, Word, Width, Plane>(plan, e, sorted, table, tile, item.first, last,
                                                scale, diff);
    __syncthreads();
    scan_rows<D, Word, Width>(diff);
    const auto sum_at = [&](int i, int row) { return diff.value[0][i][(row + i) % kTileRows]; };
    if (candidates <= plan.item) {
      for_each_cell(plan, window, tile, [&](std::int64_t cell, int i, int row) {
        write_cell<Plane>(arrays.volume[cell], sum_at(i, row), scale);
      });
    } else {
      add_to_shared_tile<Plane, Word>(plan, arrays, window, tile, item.tile,
                                      (candidates + plan.item - 1) / plan.item, scale, sum_at);
    }
    __syncthreads();
  }
}

__global__ void add_kernel(const float* addend, float* sum, std::int64_t cells) {
  const std::int64_t stride = static_cast<std::int64_t>(gridDim.x) * blockDim.x;
  std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (; i < cells; i += stride) sum[i] += addend[i];
}

template <int P, class Real, int Width, SpanPlane Plane>
void launch_spans(const SpanPlan& plan, const SpanArrays& arrays, SpanWindow window,
                  const Ellipsoid<Real>& e, int multiprocessors, cudaStream_t stream) {
  using Word = typename SpanWord<Real>::Type;
  const auto kernel = spans_kernel<P, Real, Width, Plane>;
  constexpr int kBlock = 32 * (Width / kPart);
  constexpr int bytes = sizeof(Differences<kDegree<P>, Word, Width>);
  gpu::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
             "set the shared memory of the row spans");
  int resident = 0;
  gpu::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, kBlock, bytes),
             "size the launch of the row spans");
  kernel<<<static_cast<unsigned>(resident * multiprocessors), kBlock, bytes, stream>>>(plan, arrays,
                                                                                       window, e);
  gpu::check_launch("row spans");
}

}  // namespace

namespace {

template <int P, int Width>
void launch_planes(const SpanPlan& plan, const SpanArrays& arrays, SpanWindow window,
                   int multiprocessors, cudaStream_t stream) {
  const Ellipsoid<float>& e = plan.ellipsoid;
  if (plan.planes == 1)
    return launch_spans<P, float, Width, SpanPlane::all>(plan, arrays, window, e, multiprocessors,
                                                         stream);
  launch_spans<P, float, Width, SpanPlane::first>(plan, arrays, window, e, multiprocessors, stream);
  gpu::check(cudaMemsetAsync(arrays.counters + 1, 0, sizeof(std::uint32_t), stream),
             "begin the items again");
  const auto tiles = static_cast<std::size_t>(plan.layer() * window.layers);
  gpu::check(cudaMemsetAsync(arrays.tile_done, 0, sizeof(std::uint32_t) * tiles, stream),
             "begin the tiles again");
  launch_spans<P, float, Width, SpanPlane::second>(plan, arrays, window, e, multiprocessors,
                                                   stream);
}

}  // namespace

void accumulate_spans(const SpanPlan& plan, KernelFunction function, const SpanArrays& arrays,
                      SpanWindow window, int multiprocessors, cudaStream_t stream) {
  const auto in_width = [&]<int P>() {
    if (plan.width == 256)
      launch_planes<P, 256>(plan, arrays, window, multiprocessors, stream);
    else if (plan.width == 128)
      launch_planes<P, 128>(plan, arrays, window, multiprocessors, stream);
    else
      launch_planes<P, 64>(plan, arrays, window, multiprocessors, stream);
  };
  with_degree(function, [&]<int P>() {
    if constexpr (kDegree<P> <= 2) {
      if (!plan.wide_words) return in_width.template operator()<P>();
    }
    launch_spans<P, double, 64, SpanPlane::all>(plan, arrays, window, plan.precise, multiprocessors,
                                                stream);
  });
}

void add_volume(const float* addend, float* sum, std::int64_t cells, cudaStream_t stream) {
  constexpr int kBlock = 256;
  constexpr std::int64_t kMostBlocks = 65535;
  const std::int64_t blocks = std::min(kMostBlocks, (cells + kBlock - 1) / kBlock);
  add_kernel<<<static_cast<unsigned>(blocks), kBlock, 0, stream>>>(addend, sum, cells);
  gpu::check_launch("add volumes");
}

}  // namespace skde::kernels
