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

/// Blocks that a multiprocessor holds at least, so that floats have 64 registers a thread; 0: any.
template <class Real, int Width, int Planes>
constexpr int kResident = sizeof(Real) == 4 ? 32 / span_warps(Width, Planes) : 0;

/// Shared memory of the warps: queued samples while candidates are added, then sums of parts.
template <int P, class Real, int Width, int Planes>
struct SpanScratch {
  static constexpr int kWarps = span_warps(Width, Planes);
  union {
    SpanFrame<Real> queue[kWarps][32];
    typename SpanWord<Real>::Type part_sum[kWarps][kDegree<P> + 1][kTileRows];
  };
  Real finer[Planes == 2 ? kWarps : 1][32];  ///< queued samples' units in the second plane
};

/// Processes the item's candidates, 32 per warp at a time: culls them against the tile, queues the
/// survivors and adds these one by one. Each lane owns a row.
template <int P, class Real, class Word, int Width, int Planes>
__device__ void add_candidates(const SpanPlan& plan, const Ellipsoid<Real>& e,
                               const typename SpanWord<Real>::Sample* sorted,
                               const RangeTable& table, const Tile& tile, std::uint32_t first,
                               std::uint32_t last, const TileScale& scale,
                               SpanScratch<P, Real, Width, Planes>& scratch,
                               Differences<kDegree<P>, Word, Width> (&diff)[Planes]) {
  constexpr int kWarps = span_warps(Width, Planes);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  SpanFrame<Real>* const queue = scratch.queue[warp];
  Real* const finer = scratch.finer[Planes == 1 ? 0 : warp];
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
    TileSample<Real, Planes> s;
    if (candidate < last) {
      s = to_tile<Planes>(sorted[sample_of(table, candidate)], plan, tile, unit, scale);
      reaches = may_reach(s, e, Width);
    }
    const unsigned survivors = __ballot_sync(kAllLanes, reaches);
    if (reaches) {
      const int place = __popc(survivors & ((1u << lane) - 1));
      queue[place] = frame_of_sample(e, s);
      if constexpr (Planes == 2) finer[place] = s.units.of[1];
    }
    __syncwarp();
    const int queued = __popc(survivors);
    if constexpr (sizeof(Real) == 4) {
      // The unit, if common to all samples, stays in a register.
      auto units = units_of<Planes>(1.0f, scale);
#pragma unroll 2
      for (int k = 0; k < queued; ++k) {
        if constexpr (Planes == 2) units = {queue[k].unit, finer[k]};
        add_short_span<P, Width>(queue[k], row, sx_squared, units, &diff[0].value[0][0][lane]);
      }
    } else {
      for (int k = 0; k < queued; ++k)
        add_span<P, Width>(queue[k], row, sx_squared, lane, diff[0], base);
    }
    __syncwarp();
  }
  if constexpr (sizeof(Real) == 8)
    for (int n = 0; n <= kDegree<P>; ++n) add_shared(&diff[0].value[n][0][lane], base[n]);
}

/// Sums the differences along each row and evaluates the polynomials; each warp takes a part of the
/// row. The sums replace the coefficients of degree 0. They are rotated by the cell index so that
/// rows can be read without bank conflicts.
template <int Degree, class Word, int Width, int Warps>
__device__ void scan_rows(Differences<Degree, Word, Width>& diff,
                          Word (&part_sum)[Warps][Degree + 1][kTileRows]) {
  constexpr int kCells = Width / Warps;
  const int row = threadIdx.x % 32, warp = threadIdx.x / 32, begin = warp * kCells;
  Word a[Degree + 1] = {};
  for (int i = begin; i < begin + kCells; ++i)
    for (int n = 0; n <= Degree; ++n) a[n] += diff.value[n][i][row];
  for (int n = 0; n <= Degree; ++n) part_sum[warp][n][row] = a[n];
  __syncthreads();
  for (int n = 0; n <= Degree; ++n) {
    a[n] = 0;
    for (int w = 0; w < warp; ++w) a[n] += part_sum[w][n][row];
  }
  for (int i = begin; i < begin + kCells; ++i) {
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

/// Returns the density of a cell's integers, one a plane. Rounding may leave a sum below 0.
template <int Planes, class Word>
__device__ float density_of(const Word (&sums)[Planes], const TileScale& scale) {
  double density = 0;
  for (int plane = 0; plane < Planes; ++plane)
    density += static_cast<double>(sums[plane]) * scale.to_density[plane];
  return fmaxf(static_cast<float>(density), 0.0f);
}

/// Adds an item's sums to a shared tile, as integers: those of the first plane in the volume's own
/// memory. The last of the tile's items converts them to densities.
template <int Planes, class Word, class Sums>
__device__ void add_to_shared_tile(const SpanPlan& plan, const SpanArrays& arrays,
                                   SpanWindow window, const Tile& tile, std::uint32_t index,
                                   std::uint32_t items, const TileScale& scale,
                                   const Sums& sum_at) {
  int* const integers[2] = {reinterpret_cast<int*>(arrays.volume), arrays.second};
  for (int plane = 0; plane < Planes; ++plane) {
    const int shift = scale.shift[plane];
    const Word half = shift > 0 ? Word(1) << (shift - 1) : Word(0);
    for_each_cell(plan, window, tile, [&](std::int64_t cell, int i, int row) {
      const Word sum = sum_at(plane, i, row);
      if (sum != 0) atomicAdd(integers[plane] + cell, static_cast<int>((sum + half) >> shift));
    });
  }
  __threadfence();
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(arrays.tile_done + index, 1u) + 1 == items;
  __syncthreads();
  if (!last) return;
  __threadfence();
  for_each_cell(plan, window, tile, [&](std::int64_t cell, int, int) {
    int sums[Planes];
    for (int plane = 0; plane < Planes; ++plane) sums[plane] = __ldcg(integers[plane] + cell);
    arrays.volume[cell] = density_of(sums, scale);
  });
}

template <int P, class Real, int Width, int Planes>
__global__ void __launch_bounds__(32 * span_warps(Width, Planes), kResident<Real, Width, Planes>)
    spans_kernel(SpanPlan plan, SpanArrays arrays, SpanWindow window, Ellipsoid<Real> e) {
  using Word = typename SpanWord<Real>::Type;
  constexpr int D = kDegree<P>;
  extern __shared__ __align__(16) unsigned char memory[];
  auto& diff = *reinterpret_cast<Differences<D, Word, Width>(*)[Planes]>(memory);
  __shared__ RangeTable table;
  __shared__ SpanScratch<P, Real, Width, Planes> scratch;
  __shared__ std::uint32_t claimed;
  const std::uint32_t items = arrays.counters[0];
  while (true) {
    if (threadIdx.x == 0) claimed = atomicAdd(arrays.counters + 1, 1u);
    constexpr int kVectors = sizeof(diff) / sizeof(int4);
    for (int k = threadIdx.x; k < kVectors; k += blockDim.x)
      reinterpret_cast<int4*>(memory)[k] = {};
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
    add_candidates<P, Real, Word, Width, Planes>(plan, e, sorted, table, tile, item.first, last,
                                                 scale, scratch, diff);
    __syncthreads();
    for (int plane = 0; plane < Planes; ++plane)
      scan_rows<D, Word, Width>(diff[plane], scratch.part_sum);
    const auto sum_at = [&](int plane, int i, int row) {
      return diff[plane].value[0][i][(row + i) % kTileRows];
    };
    if (candidates <= plan.item) {
      for_each_cell(plan, window, tile, [&](std::int64_t cell, int i, int row) {
        Word sums[Planes];
        for (int plane = 0; plane < Planes; ++plane) sums[plane] = sum_at(plane, i, row);
        arrays.volume[cell] = density_of(sums, scale);
      });
    } else {
      add_to_shared_tile<Planes, Word>(plan, arrays, window, tile, item.tile,
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

template <int P, class Real, int Width, int Planes>
void launch_spans(const SpanPlan& plan, const SpanArrays& arrays, SpanWindow window,
                  const Ellipsoid<Real>& e, int multiprocessors, cudaStream_t stream) {
  using Word = typename SpanWord<Real>::Type;
  const auto kernel = spans_kernel<P, Real, Width, Planes>;
  constexpr int kBlock = 32 * span_warps(Width, Planes);
  constexpr int bytes = Planes * sizeof(Differences<kDegree<P>, Word, Width>);
  static_assert(bytes + sizeof(SpanScratch<P, Real, Width, Planes>) + sizeof(RangeTable) + 64 <=
                span_bytes(Width, Planes, kDegree<P>, sizeof(Word)));
  gpu::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
             "set the shared memory of the row spans");
  int resident = 0;
  gpu::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, kBlock, bytes),
             "size the launch of the row spans");
  kernel<<<static_cast<unsigned>(resident * multiprocessors), kBlock, bytes, stream>>>(plan, arrays,
                                                                                       window, e);
  gpu::check_launch("row spans");
}

/// Launches with the plan's width, which is one of these.
template <int P, class Real, int Planes, int... Widths>
void launch_width(const SpanPlan& plan, const SpanArrays& arrays, SpanWindow window,
                  const Ellipsoid<Real>& e, int multiprocessors, cudaStream_t stream) {
  const auto launch = [&]<int Width>() {
    if (plan.width == Width)
      launch_spans<P, Real, Width, Planes>(plan, arrays, window, e, multiprocessors, stream);
  };
  (launch.template operator()<Widths>(), ...);
}

}  // namespace

void accumulate_spans(const SpanPlan& plan, KernelFunction function, const SpanArrays& arrays,
                      SpanWindow window, int multiprocessors, cudaStream_t stream) {
  with_degree(function, [&]<int P>() {
    if constexpr (kDegree<P> <= 2) {
      if (!plan.wide_words)
        return (plan.planes == 2
                    ? launch_width<P, float, 2, 64, 128, 256>
                    : launch_width<P, float, 1, 64, 128, 256>)(plan, arrays, window, plan.ellipsoid,
                                                               multiprocessors, stream);
    }
    launch_width<P, double, 1, 32, 64>(plan, arrays, window, plan.precise, multiprocessors, stream);
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
