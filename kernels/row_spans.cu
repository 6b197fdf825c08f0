#include "gpu/check.hpp"
#include "kernels/row_spans.hpp"
#include "kernels/span_polynomial.cuh"
#include "kernels/span_tiles.cuh"

namespace skde::kernels {
namespace {

constexpr int kPart = 16;  // cells of a row that a warp scans; fixes the warps of a block
constexpr int kListBlock = 128;
constexpr unsigned kAllLanes = 0xffffffffu;

/// The fixed-point scale of a tile: all its items share it, so their sums add as integers.
struct TileScale {
  double one;  ///< fixed-point value of the polynomial (r^2 - x^2)^p = 1 at the largest weight
  int shift;   ///< bits that an item's sum loses when several items share the tile
  float to_density;  ///< from the tile's integers to the volume
};

template <KernelFunction F, class Real>
__device__ TileScale tile_scale(const SpanPlan& plan, std::uint32_t candidates) {
  constexpr bool wide = sizeof(Real) == 8;
  const std::uint32_t items = (candidates + plan.item - 1) / plan.item;
  const double summed = min(candidates, static_cast<std::uint32_t>(plan.item));
  const double half = plan.ellipsoid.sx;
  double peak = 1;  // of the polynomial
  for (int p = 0; p < static_cast<int>(F); ++p) peak *= half * half;
  // Each kernel may end one part in 2^6 above its peak by rounding; 32-bit words are rounded by an
  // addition that holds to 2^22.
  double most = (wide ? 4.6e18 : 2.1e9) / (summed * 1.02);
  if (!wide) most = fmin(most, 4.1e6);
  TileScale scale;
  scale.one = exp2(floor(log2(most / fmax(peak, wide ? 1e-300 : 1.0))));
  scale.shift = (wide ? 31 : 0) + (items > 1 ? 32 - __clz(items - 1) : 0);
  if (items <= 1) scale.shift = 0;
  scale.to_density = static_cast<float>(plan.amplitude / (scale.one * peak) *
                                        exp2(static_cast<double>(scale.shift)));
  return scale;
}

/// The runs of sorted samples that hold a tile's candidates, as prefix sums of their lengths.
struct RangeTable {
  std::uint32_t begin[kMostRanges];
  std::uint32_t before[kMostRanges + 1];
};

/// Filled by the whole block; the first four warps take two ranges a thread.
__device__ void fill_ranges(RangeTable& table, const SpanPlan& plan, const Tile& tile,
                            const std::uint32_t* starts) {
  constexpr int kFillers = kMostRanges / 2;
  __shared__ std::uint32_t warp_total[kFillers / 32];
  const CandidateBox box = candidate_box(plan, tile);
  const int ranges = box.ranges(), lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const bool fills = threadIdx.x < kFillers;
  std::uint32_t length[2] = {0, 0}, sum = 0;
  if (fills) {
    for (int k = 0; k < 2; ++k) {
      const int range = 2 * threadIdx.x + k;
      const SampleRange r = range < ranges ? range_at(plan, box, starts, range) : SampleRange{0, 0};
      table.begin[range] = r.begin;
      length[k] = r.end - r.begin;
    }
    sum = length[0] + length[1];
    for (int distance = 1; distance < 32; distance *= 2) {
      const std::uint32_t other = __shfl_up_sync(kAllLanes, sum, distance);
      if (lane >= distance) sum += other;
    }
    if (lane == 31) warp_total[warp] = sum;
  }
  __syncthreads();
  if (fills) {
    for (int w = 0; w < warp; ++w) sum += warp_total[w];
    table.before[2 * threadIdx.x] = sum - length[0] - length[1];
    table.before[2 * threadIdx.x + 1] = sum - length[1];
    if (threadIdx.x == kFillers - 1) table.before[kMostRanges] = sum;
  }
  __syncthreads();
}

/// The sorted sample that is candidate number `candidate` of the tile.
__device__ std::uint32_t sample_of(const RangeTable& table, std::uint32_t candidate) {
  int first = 0;
#pragma unroll
  for (int step = kMostRanges / 2; step > 0; step /= 2)
    if (table.before[first + step] <= candidate) first += step;
  return table.begin[first] + (candidate - table.before[first]);
}

/// A sample in cells from the first cell of the tile.
template <class Real>
struct TileSample {
  Real x, y, z, scale;
};

template <class Real>
__device__ TileSample<Real> to_tile(const SortedSample& s, const SpanPlan& plan, const Tile& tile,
                                    Real unit, Real one) {
  const auto relative = [&](std::int32_t fixed, std::int32_t cell) {
    return static_cast<Real>(static_cast<std::int32_t>(
               static_cast<std::uint32_t>(fixed) -
               (static_cast<std::uint32_t>(cell) << plan.fraction_bits))) *
           unit;
  };
  typename SpanWord<Real>::Type integer;
  return {relative(s.x, tile.x), relative(s.y, tile.y), relative(s.z, tile.z),
          SpanWord<Real>::nearest(one * static_cast<Real>(s.weight), integer)};
}

/// A place in the frame in which spans are found by differences alone: with (dx, dy, dz) from a
/// sample to a row's reference cell, the span is centred at the difference of `x`, and its squared
/// half width is sx^2 less the squares of the differences of `v1` and `v2`.
template <class Real>
struct alignas(16) SpanFrame {
  Real v1, v2, x;
  Real scale;  ///< a sample's fixed-point 1, an integer; 0 for a row
};

/// The frame of a place (y, z); `x` of a sample counts against its regression on y and z.
template <class Real>
__device__ SpanFrame<Real> frame_of_row(const Ellipsoid<Real>& e, Real y, Real z) {
  return {e.sx * e.inv_sy * (y - e.bzy * z), e.sx * e.inv_sz * z, e.bxy * y + e.bxz * z, Real(0)};
}

template <class Real>
__device__ SpanFrame<Real> frame_of_sample(const Ellipsoid<Real>& e, const TileSample<Real>& s) {
  SpanFrame<Real> frame = frame_of_row(e, s.y, s.z);
  frame.x = s.x - frame.x;
  frame.scale = s.scale;
  return frame;
}

/// Distance from 0 to the interval [low, high].
template <class Real>
__device__ Real gap(Real low, Real high) {
  return fmax(fmax(low, -high), Real(0));
}

/// False where no cell of the tile is inside the kernel, by a bound on q from below: each of its
/// three terms is at its least over the tile.
template <class Real>
__device__ bool may_reach(const TileSample<Real>& s, const Ellipsoid<Real>& e, int width) {
  const Real z0 = -s.z, z1 = Real(kTileRowsZ - 1) - s.z;
  const Real y0 = -s.y, y1 = Real(kTileRowsY - 1) - s.y;
  const Real x0 = -s.x, x1 = Real(width - 1) - s.x;
  const Real u2 = gap(z0, z1) * e.inv_sz;
  const Real yz0 = e.bzy * z0, yz1 = e.bzy * z1;
  const Real u1 = gap(y0 - fmax(yz0, yz1), y1 - fmin(yz0, yz1)) * e.inv_sy;
  const Real xy0 = e.bxy * y0, xy1 = e.bxy * y1, xz0 = e.bxz * z0, xz1 = e.bxz * z1;
  const Real u0 =
      gap(x0 - fmax(xy0, xy1) - fmax(xz0, xz1), x1 - fmin(xy0, xy1) - fmin(xz0, xz1)) * e.inv_sx;
  return u0 * u0 + u1 * u1 + u2 * u2 < Real(1);
}

/// The difference arrays of a tile, laid [coefficient][cell][row] so that the lanes of a warp,
/// which own the rows, never meet in a bank.
template <int Degree, class Word, int Width>
struct Differences {
  Word value[Degree + 1][Width + 1][kTileRows];  // the last cell takes what ends behind the tile
};

template <class Word>
__device__ void add_shared(Word* to, Word value) {
  using Unsigned = std::make_unsigned_t<Word>;
  atomicAdd(reinterpret_cast<Unsigned*>(to), static_cast<Unsigned>(value));
}

/// add_span for 32-bit words, the engine's innermost loop: free of branches, and of conversions by
/// adding a constant that leaves the integer in the low bits of the sum. Ends before the tile count
/// at its first cell, ends behind it at a cell of no use (Width), where rows that miss the kernel
/// end up too: their root is NaN, whose bits lie beyond every index. `ends` points to the row's
/// first cell.
template <KernelFunction F, int Width, bool Weighted>
__device__ __forceinline__ void add_short_span(const SpanFrame<float>& s,
                                               const SpanFrame<float>& row, float sx_squared,
                                               float scale, int* ends) {
  constexpr int D = kDegree<F>, kStride = (Width + 1) * kTileRows;
  constexpr float kRound = SpanWord<float>::kRound;
  constexpr int kBits = 0x4b400000;  // of kRound
  const float v1 = row.v1 - s.v1, v2 = row.v2 - s.v2;
  const float half_squared = fmaf(-v2, v2, fmaf(-v1, v1, sx_squared));
  const float half = SpanWord<float>::root(half_squared), centre = row.x + s.x;
  const int first = __float_as_int(__fadd_ru(centre - half, kRound));
  const int last = __float_as_int(__fadd_rd(centre + half, kRound));
  const float one = Weighted ? s.scale : scale;
  int a[D + 1];
  a[D] = D == 0 ? SpanWord<float>::round(one) : -SpanWord<float>::round(one);
  if constexpr (D == 2) {
    const float shifted = centre + kRound;
    const int cell = __float_as_int(shifted) - kBits;
    const float mu = centre - (shifted - kRound);
    a[0] = SpanWord<float>::round(one * fmaf(-mu, mu, half_squared));
    a[1] = SpanWord<float>::round((one + one) * mu);
    shift_origin<D, int>(a, cell);
  }
  int* const left = ends + (min(max(first, kBits), kBits + Width) - kBits) * kTileRows;
  int* const right = ends + (min(max(last, kBits - 1), kBits + Width - 1) + 1 - kBits) * kTileRows;
#pragma unroll
  for (int n = 0; n <= D; ++n) atomicAdd(left + n * kStride, a[n]);
#pragma unroll
  for (int n = 0; n <= D; ++n) atomicAdd(right + n * kStride, -a[n]);
}

/// Adds a sample to the lane's row: at the two ends where they lie in the tile, to `base` where the
/// span began before it.
template <KernelFunction F, class Real, class Word, int Width>
__device__ __forceinline__ void add_span(const SpanFrame<Real>& s, const SpanFrame<Real>& row,
                                         Real sx_squared, int lane,
                                         Differences<kDegree<F>, Word, Width>& diff,
                                         Word (&base)[kDegree<F> + 1]) {
  using W = SpanWord<Real>;
  constexpr int D = kDegree<F>;
  const Real v1 = row.v1 - s.v1, v2 = row.v2 - s.v2;
  const Real half_squared = sx_squared - v1 * v1 - v2 * v2;
  if (!(half_squared > Real(0))) return;
  const Real half = W::root(half_squared), centre = row.x + s.x;
  // ceil as rint(. + 1/2): a cell that sits on an end may fall to either side, the kernel is 0
  // there.
  const Real middle = centre + (Real(0.5) + Real(Width / 2));
  const int left = static_cast<int>(W::round(middle - half));
  const int right = static_cast<int>(W::round(middle + half));
  if (left >= right || left >= Width || right <= 0) return;
  Word cell;
  const Real mu = centre - W::nearest(centre, cell);
  Word a[D + 1];
  round_coefficients<F, Real, Word>(s.scale, half_squared, mu, a);
  shift_origin<D, Word>(a, cell);
  if (left > 0) {
#pragma unroll
    for (int n = 0; n <= D; ++n) add_shared(&diff.value[n][left][lane], a[n]);
  } else {
#pragma unroll
    for (int n = 0; n <= D; ++n) base[n] += a[n];
  }
  if (right < Width) {
#pragma unroll
    for (int n = 0; n <= D; ++n) add_shared(&diff.value[n][right][lane], static_cast<Word>(-a[n]));
  }
}

/// Goes through the item's candidates, 32 a warp at a time: culls them against the tile, queues the
/// survivors and adds them one by one, a lane a row.
template <KernelFunction F, class Real, class Word, int Width, bool Weighted>
__device__ void add_candidates(const SpanPlan& plan, const Ellipsoid<Real>& e,
                               const SortedSample* sorted, const RangeTable& table,
                               const Tile& tile, std::uint32_t first, std::uint32_t last, Real one,
                               Differences<kDegree<F>, Word, Width>& diff) {
  constexpr int kWarps = Width / kPart;
  __shared__ SpanFrame<Real> queue[kWarps][32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const SpanFrame<Real> row =
      frame_of_row(e, static_cast<Real>(lane % kTileRowsY), static_cast<Real>(lane / kTileRowsY));
  // Squared with its own rounding: fused into the sums below, it would be loaded and squared each
  // time.
  Real sx_squared;
  if constexpr (sizeof(Real) == 4)
    sx_squared = __fmul_rn(e.sx, e.sx);
  else
    sx_squared = __dmul_rn(e.sx, e.sx);
  const unsigned address =
      static_cast<unsigned>(__cvta_generic_to_shared(&diff.value[0][0][lane])) -
      (static_cast<unsigned>(__float_as_int(12582912.0f)) << 7);
  const Real unit = static_cast<Real>(exp2(-static_cast<double>(plan.fraction_bits)));
  Word base[kDegree<F> + 1] = {};
  for (std::uint32_t batch = first + 32 * warp; batch < last; batch += 32 * kWarps) {
    const std::uint32_t candidate = batch + lane;
    bool reaches = false;
    TileSample<Real> s;
    if (candidate < last) {
      s = to_tile<Real>(sorted[sample_of(table, candidate)], plan, tile, unit, one);
      reaches = may_reach(s, e, Width);
    }
    const unsigned survivors = __ballot_sync(kAllLanes, reaches);
    if (reaches) queue[warp][__popc(survivors & ((1u << lane) - 1))] = frame_of_sample(e, s);
    __syncwarp();
    const int queued = __popc(survivors);
    if constexpr (sizeof(Real) == 4) {
#pragma unroll 2
      for (int k = 0; k < queued; ++k)
        add_short_span<F, Width, Weighted>(queue[warp][k], row, sx_squared, one,
                                           &diff.value[0][0][lane]);
    } else {
      for (int k = 0; k < queued; ++k)
        add_span<F, Real, Word, Width>(queue[warp][k], row, sx_squared, lane, diff, base);
    }
    __syncwarp();
  }
  if constexpr (sizeof(Real) == 8)
    for (int n = 0; n <= kDegree<F>; ++n) add_shared(&diff.value[n][0][lane], base[n]);
}

/// Sums the differences along each row and evaluates the polynomials: warps take a part of the row
/// each. The sums replace the coefficients of degree 0, rotated by the cell so that rows can be
/// read without bank conflicts.
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
    const Word sum = evaluate<Degree, Word>(a, static_cast<Word>(i));
    __syncwarp();
    diff.value[0][i][(row + i) % kTileRows] = sum;
    __syncwarp();
  }
  __syncthreads();
}

/// Calls `body(cell of the volume, cell along the tile, row)` for the tile's cells in the grid,
/// lanes along x.
template <class Body>
__device__ void for_each_cell(const SpanPlan& plan, const Tile& tile, Body&& body) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int cells = min(plan.width, plan.dims[0] - tile.x);
  for (int row = warp; row < kTileRows; row += blockDim.x / 32) {
    const std::int32_t y = tile.y + row % kTileRowsY, z = tile.z + row / kTileRowsY;
    if (y >= plan.dims[1] || z >= plan.dims[2]) continue;
    const std::int64_t begin =
        (static_cast<std::int64_t>(z) * plan.dims[1] + y) * plan.dims[0] + tile.x;
    for (int i = lane; i < cells; i += 32) body(begin + i, i, row);
  }
}

/// Adds an item's sums to a tile that it shares, as integers in the volume's own memory; the last
/// of the tile's items turns them into densities.
template <class Word, class Sums>
__device__ void add_to_shared_tile(const SpanPlan& plan, const SpanArrays& arrays, const Tile& tile,
                                   std::uint32_t index, std::uint32_t items, const TileScale& scale,
                                   const Sums& sum_at) {
  auto* const integers = reinterpret_cast<int*>(arrays.volume);
  const Word half = Word(1) << (scale.shift - 1);
  for_each_cell(plan, tile, [&](std::int64_t cell, int i, int row) {
    const Word sum = sum_at(i, row);
    if (sum != 0) atomicAdd(integers + cell, static_cast<int>((sum + half) >> scale.shift));
  });
  __threadfence();
  __shared__ bool last;
  __syncthreads();
  if (threadIdx.x == 0) last = atomicAdd(arrays.tile_done + index, 1u) + 1 == items;
  __syncthreads();
  if (!last) return;
  __threadfence();
  for_each_cell(plan, tile, [&](std::int64_t cell, int, int) {
    const int sum = __ldcg(integers + cell);
    arrays.volume[cell] = static_cast<float>(max(sum, 0)) * scale.to_density;
  });
}

template <KernelFunction F, class Real, int Width, bool Weighted>
__global__ void __launch_bounds__(2 * Width)
    spans_kernel(SpanPlan plan, SpanArrays arrays, Ellipsoid<Real> e) {
  using Word = typename SpanWord<Real>::Type;
  constexpr int D = kDegree<F>;
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
    const Tile tile = tile_at(plan, item.tile);
    const std::uint32_t candidates = arrays.tile_candidates[item.tile];
    const TileScale scale = tile_scale<F, Real>(plan, candidates);
    fill_ranges(table, plan, tile, arrays.starts);
    const std::uint32_t last = min(item.first + plan.item, candidates);
    add_candidates<F, Real, Word, Width, Weighted>(plan, e, arrays.sorted, table, tile, item.first,
                                                   last, static_cast<Real>(scale.one), diff);
    __syncthreads();
    scan_rows<D, Word, Width>(diff);
    const auto sum_at = [&](int i, int row) { return diff.value[0][i][(row + i) % kTileRows]; };
    if (candidates <= plan.item) {
      for_each_cell(plan, tile, [&](std::int64_t cell, int i, int row) {
        const Word sum = sum_at(i, row);
        arrays.volume[cell] = sum > 0 ? static_cast<float>(sum) * scale.to_density : 0.0f;
      });
    } else {
      add_to_shared_tile<Word>(plan, arrays, tile, item.tile,
                               (candidates + plan.item - 1) / plan.item, scale, sum_at);
    }
    __syncthreads();
  }
}

/// A warp a tile.
__global__ void __launch_bounds__(kListBlock)
    list_kernel(SpanPlan plan, SpanArrays arrays, std::uint32_t tiles) {
  const int lane = threadIdx.x % 32;
  const std::uint32_t index = blockIdx.x * (kListBlock / 32) + threadIdx.x / 32;
  if (index >= tiles) return;
  const Tile tile = tile_at(plan, index);
  const CandidateBox box = candidate_box(plan, tile);
  std::uint32_t candidates = 0;
  for (int range = lane; range < box.ranges(); range += 32) {
    const SampleRange r = range_at(plan, box, arrays.starts, range);
    candidates += r.end - r.begin;
  }
  candidates = __reduce_add_sync(kAllLanes, candidates);
  const std::uint32_t items = (candidates + plan.item - 1) / plan.item;
  std::uint32_t first = 0;
  if (lane == 0) {
    arrays.tile_candidates[index] = candidates;
    arrays.tile_done[index] = 0;
    if (items > 0) first = atomicAdd(arrays.counters, items);
  }
  first = __shfl_sync(kAllLanes, first, 0);
  for (std::uint32_t k = lane; k < items; k += 32) arrays.items[first + k] = {index, k * plan.item};
  if (items == 1) return;
  const int cells = min(plan.width, plan.dims[0] - tile.x);
  for (int row = 0; row < kTileRows; ++row) {
    const std::int32_t y = tile.y + row % kTileRowsY, z = tile.z + row / kTileRowsY;
    if (y >= plan.dims[1] || z >= plan.dims[2]) continue;
    const std::int64_t begin =
        (static_cast<std::int64_t>(z) * plan.dims[1] + y) * plan.dims[0] + tile.x;
    for (int i = lane; i < cells; i += 32) arrays.volume[begin + i] = 0;
  }
}

template <KernelFunction F, class Real, int Width, bool Weighted>
void launch_spans(const SpanPlan& plan, const SpanArrays& arrays, const Ellipsoid<Real>& e,
                  int multiprocessors, cudaStream_t stream) {
  using Word = typename SpanWord<Real>::Type;
  const auto kernel = spans_kernel<F, Real, Width, Weighted>;
  constexpr int kBlock = 32 * (Width / kPart);
  constexpr int bytes = sizeof(Differences<kDegree<F>, Word, Width>);
  gpu::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes),
             "set the shared memory of the row spans");
  int resident = 0;
  gpu::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kernel, kBlock, bytes),
             "size the launch of the row spans");
  kernel<<<static_cast<unsigned>(resident * multiprocessors), kBlock, bytes, stream>>>(plan, arrays,
                                                                                       e);
  gpu::check_launch("row spans");
}

}  // namespace

void list_items(const SpanPlan& plan, const SpanArrays& arrays, cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(arrays.counters, 0, 2 * sizeof(std::uint32_t), stream),
             "clear the counters");
  const auto tiles = static_cast<std::uint32_t>(plan.tile_count());
  constexpr std::uint32_t kWarps = kListBlock / 32;
  list_kernel<<<(tiles + kWarps - 1) / kWarps, kListBlock, 0, stream>>>(plan, arrays, tiles);
  gpu::check_launch("list the tiles");
}

void accumulate_spans(const SpanPlan& plan, KernelFunction function, const SpanArrays& arrays,
                      int multiprocessors, cudaStream_t stream) {
  const auto in_width = [&]<KernelFunction F, bool Weighted>() {
    if (plan.width == 256)
      launch_spans<F, float, 256, Weighted>(plan, arrays, plan.ellipsoid, multiprocessors, stream);
    else if (plan.width == 128)
      launch_spans<F, float, 128, Weighted>(plan, arrays, plan.ellipsoid, multiprocessors, stream);
    else
      launch_spans<F, float, 64, Weighted>(plan, arrays, plan.ellipsoid, multiprocessors, stream);
  };
  with_kernel(function, [&]<KernelFunction F>() {
    if constexpr (kDegree<F> <= 2) {
      if (!plan.wide_words)
        return plan.weighted ? in_width.template operator()<F, true>()
                             : in_width.template operator()<F, false>();
    }
    launch_spans<F, double, 64, true>(plan, arrays, plan.precise, multiprocessors, stream);
  });
}

}  // namespace skde::kernels
