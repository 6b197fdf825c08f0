#pragma once

#include <algorithm>
#include <type_traits>

#include "gpu/check.hpp"
#include "kernels/tile/warp_tile_ranges.cuh"
#include "kernels/tile/warp_tile_shapes.cuh"

/// The sums of the tiles; compiled separately for each precision.
namespace skde::kernels {

/// Shared memory of the warps that sum a block of tiles.
template <class Waiting, int kTiles>
struct BlockMemory {
  static constexpr int kStep = 32 * kTiles;  ///< candidates that are culled at once
  /// Size of the queue of kernels to sum. It is summed as soon as it cannot take another step.
  static constexpr int kQueue = kStep + (kTiles > 1 ? kStep / 2 : kStep);
  /// Threads: several blocks of one tile do not wait for each other.
  static constexpr int kBlocks = kTiles > 1 ? 1 : 4, kThreads = kBlocks * kStep;

  unsigned char bytes[kQueue * sizeof(Waiting)] __attribute__((aligned(alignof(Waiting))));
  int found[2][kTiles];  ///< by each warp in a step, and in the one before
  std::uint32_t number;  ///< of an item, then of the items that were done before it

  __device__ Waiting* queue() { return reinterpret_cast<Waiting*>(bytes); }
  static __device__ void sync() {
    if constexpr (kTiles > 1)
      __syncthreads();
    else
      __syncwarp();
  }
  /// Returns the same number to all threads, which the first one finds.
  template <class Find>
  __device__ std::uint32_t shared(Find find) {
    sync();
    if (threadIdx.x % kStep == 0) number = find();
    sync();
    return number;
  }
};

/// Adds values to the part of a row of the volume that lies in the grid.
template <class Value, class Sums>
__device__ void add_to_volume(Value* volume, std::int32_t first_slice, const WarpTilePlan& plan,
                              const TilePlace& tile, const Sums& sums) {
  const LanePlace place = lane_place();
  const std::int32_t x = tile.x, y = tile.y + place.y, z = tile.z + place.z;
  if (y >= plan.dims[1] || z >= plan.dims[2]) return;
  Value* const row =
      volume + (static_cast<std::int64_t>(z - first_slice) * plan.dims[1] + y) * plan.dims[0] + x;
  if (x + kLaneCells <= plan.dims[0] && plan.dims[0] % 4 == 0) {
    struct alignas(16) Sixteen {  // bytes
      Value of[16 / sizeof(Value)];
    };
    constexpr int kOnce = 16 / sizeof(Value);
#pragma unroll
    for (int k = 0; k < kLaneCells; k += kOnce) {
      Sixteen& to = *reinterpret_cast<Sixteen*>(row + k);
      Sixteen cells = to;
#pragma unroll
      for (int i = 0; i < kOnce; ++i) cells.of[i] += static_cast<Value>(sums.value(k + i));
      to = cells;
    }
    return;
  }
#pragma unroll
  for (int k = 0; k < kLaneCells; ++k)
    if (x + k < plan.dims[0]) row[k] += static_cast<Value>(sums.value(k));
}

template <class Sums>
__device__ void write_tile(const WarpTilePlan& plan, const WarpTileArrays& arrays,
                           const TilePlace& tile, const Sums& sums) {
  if (arrays.floats)
    add_to_volume(arrays.floats, arrays.first_slice, plan, tile, sums);
  else
    add_to_volume(arrays.doubles, arrays.first_slice, plan, tile, sums);
}

/// Stores the sums of one item of a shared block; the warp's are those of the block's tile
/// `number`. The warps that finish last add the sums of all items in their order and write the
/// tiles they own.
template <class Real, class Memory>
__device__ void write_shared(const WarpTilePlan& plan, const WarpTileArrays& arrays,
                             const TileItem& item, const TilePlace& tile, int number, bool owned,
                             Memory& memory, const LaneSums<Real>& sums) {
  const int lane = threadIdx.x % 32;
  const std::int64_t next = std::int64_t{Memory::kStep} * kLaneCells;
  Real* const all =
      static_cast<Real*>(arrays.shared) + item.slot * next + number * kWarpTileCells + lane;
#pragma unroll
  for (int k = 0; k < kLaneCells; ++k) all[item.number * next + 32 * k] = Real(sums.value(k));
  __threadfence();
  if (memory.shared([&] { return atomicAdd(arrays.done + item.block, 1u); }) + 1 < item.items)
    return;
  if (!owned) return;
  __threadfence();
  LaneSums<double> total;
  for (std::uint32_t i = 0; i < item.items; ++i)
#pragma unroll
    for (int k = 0; k < kLaneCells; ++k) total.part[k] += __ldcg(all + i * next + 32 * k);
  write_tile(plan, arrays, tile, total);
}

/// Sums the kernels that reach a warp's tile. The warps of a block find the kernels that reach it,
/// 32 candidates a warp at a time, and queue them. Each warp then culls the queue for its tile.
template <class Real, class Shape, class Profile>
class TileSummer {
 public:
  static constexpr int kTiles = Shape::kBlock.tiles();
  using Waiting = typename Shape::Waiting;
  using Memory = BlockMemory<Waiting, kTiles>;

  /// The warp sums nothing if it has no `tile`, but culls.
  __device__ TileSummer(const WarpTilePlan& plan, const WarpTileArrays& arrays,
                        const Profile& profile, const Shape& shape, Memory& memory,
                        const TilePlace& block, bool tile)
      : plan_(plan),
        arrays_(arrays),
        profile_(profile),
        shape_(shape),
        memory_(memory),
        block_(block),
        tile_(tile) {}

  /// Adds candidates [first, last) of the block.
  __device__ void add(std::uint32_t first, std::uint32_t last) {
    std::uint32_t before = 0;
    const int lane = threadIdx.x % 32;
    for (int k = 0; k < plan_.classes; ++k) {
      const CandidateRows rows = candidate_rows(plan_, k, arrays_.reach, block_);
      for (int row = 0; row < rows.count() && before < last; row += 32) {
        const WarpRanges ranges(range_at(plan_.reach_class[k], rows, arrays_.starts, row + lane));
        const std::uint32_t total = ranges.total();
        if (before + total > first)
          add_ranges(ranges, first > before ? first - before : 0, min(last - before, total));
        before += total;
      }
    }
    add_waiting();
    if constexpr (Shape::kScaled) sums_.scale(Real(plan_.height));
  }
  __device__ const LaneSums<Real>& sums() const { return sums_; }

 private:
  __device__ void add_ranges(const WarpRanges& ranges, std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t base = first; base < last; base += Memory::kStep) {
      const std::uint32_t number = base + threadIdx.x % Memory::kStep,
                          sample = ranges.sample(min(number, last - 1));
      Waiting own;
      const bool reaches =
          number < last &&
          shape_.reaches(arrays_.samples, sample,
                         local_sample<Real, Shape::kBlock>(plan_, arrays_.samples, sample, block_),
                         profile_, own);
      queue(reaches, own);
      if (waiting_ > Memory::kQueue - Memory::kStep) add_waiting();
    }
  }

  /// Appends the kernels found by all warps, in the order of candidates.
  __device__ void queue(bool reaches, const Waiting& own) {
    const unsigned lane = threadIdx.x % 32, found = __ballot_sync(kAllLanes, reaches);
    int place = waiting_, all = __popc(found);
    if constexpr (kTiles > 1) {
      const int warp = threadIdx.x / 32;
      int(&counts)[kTiles] = memory_.found[side_];
      side_ ^= 1;
      if (lane == 0) counts[warp] = all;
      Memory::sync();
      all = 0;
#pragma unroll
      for (int k = 0; k < kTiles; ++k) {
        if (k == warp) place += all;
        all += counts[k];
      }
    }
    if (reaches) memory_.queue()[place + __popc(found & ((1u << lane) - 1))] = own;
    waiting_ += all;
  }

  __device__ void add_waiting() {
    Memory::sync();
    if constexpr (kTiles > 1) {
      const int lane = threadIdx.x % 32;
      for (int base = 0; tile_ && base < waiting_; base += 32) {
        const bool reaches =
            base + lane < waiting_ && shape_.reaches_tile(memory_.queue()[base + lane]);
        add_found(__ballot_sync(kAllLanes, reaches), memory_.queue() + base);
      }
    } else {
#pragma unroll 2
      for (int i = 0; i < waiting_; ++i) shape_.add(sums_, memory_.queue()[i], profile_);
    }
    sums_.fold();
    waiting_ = added_ = 0;
    Memory::sync();
  }

  /// Adds the kernels of a mask, two at a time, so that one need not wait for the other. Folds the
  /// sums before a hundred are added.
  __device__ void add_found(unsigned found, const Waiting* of) {
    constexpr int kMost = 64;
    added_ += __popc(found);
    const auto add_next = [&] {
      const int next = __ffs(found) - 1;
      found &= found - 1;
      shape_.add(sums_, of[next], profile_);
    };
    while (found) {
      add_next();
      if (found) add_next();
    }
    if (added_ < kMost) return;
    sums_.fold();
    added_ = 0;
  }

  const WarpTilePlan& plan_;
  const WarpTileArrays& arrays_;
  const Profile& profile_;
  const Shape& shape_;
  Memory& memory_;
  TilePlace block_;
  bool tile_;
  int waiting_ = 0, side_ = 0, added_ = 0;
  LaneSums<Real> sums_;
};

template <class Real, class Shape, class Profile>
__global__ void __launch_bounds__(TileSummer<Real, Shape, Profile>::Memory::kThreads,
                                  Shape::kResident)
    tile_kernel(const __grid_constant__ WarpTilePlan plan,
                const __grid_constant__ WarpTileArrays arrays,
                const __grid_constant__ Profile profile, TileWindow window) {
  using Summer = TileSummer<Real, Shape, Profile>;
  using Memory = typename Summer::Memory;
  __shared__ Memory of_block[Memory::kBlocks];
  Memory& memory = of_block[threadIdx.x / Memory::kStep];
  const int number = threadIdx.x / 32 % Summer::kTiles;
  const Shape shape(plan, profile, typename Shape::Frame(number));
  const TileCounters counters = *arrays.counters;
  const std::uint32_t size = candidates_of_item(plan, counters.candidates);
  for (;;) {
    const std::uint32_t next =
        memory.shared([&] { return atomicAdd(&arrays.counters->begun, 1u); });
    if (next >= counters.items + counters.few) return;
    const std::uint32_t place =
        next < counters.items ? next : most_items(plan, window) - 1 - (next - counters.items);
    const TileItem item = arrays.items[place];
    const TilePlace block = plan.block_at(window.first + item.block),
                    tile = tile_of(Shape::kBlock, block, number);
    const bool owned = tile.x < plan.dims[0] && tile.y < plan.dims[1] && arrays.owns(tile);
    Summer summer(plan, arrays, profile, shape, memory, block, owned);
    summer.add(item.number * size, min((item.number + 1) * size, arrays.candidates[item.block]));
    if (item.items > 1)
      write_shared(plan, arrays, item, tile, number, owned, memory, summer.sums());
    else if (owned)
      write_tile(plan, arrays, tile, summer.sums());
  }
}

template <class Real, class Shape, class Profile>
void launch_tiles(const WarpTilePlan& plan, const Profile& profile, const WarpTileArrays& arrays,
                  TileWindow window, int multiprocessors, cudaStream_t stream) {
  constexpr auto kKernel = tile_kernel<Real, Shape, Profile>;
  constexpr int kThreads = TileSummer<Real, Shape, Profile>::Memory::kThreads;
  int resident = 0;
  gpu::check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&resident, kKernel, kThreads, 0),
             "size the sums of tiles");
  const auto blocks = static_cast<unsigned>(std::max(1, resident * multiprocessors));
  kKernel<<<blocks, kThreads, 0, stream>>>(plan, arrays, profile, window);
  gpu::check_launch("sum the tiles");
}

}  // namespace skde::kernels
