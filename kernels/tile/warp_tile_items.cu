#include "gpu/check.hpp"
#include "kernels/tile/warp_tile_ranges.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = 128;

/// Returns whether a tile of the block is summed here.
__device__ bool owns_any(const WarpTilePlan& plan, const WarpTileArrays& arrays,
                         const TilePlace& block) {
  for (int k = 0; k < plan.block.tiles(); ++k)
    if (arrays.owns(tile_of(plan.block, block, k))) return true;
  return false;
}

/// One warp per block of tiles.
__global__ void __launch_bounds__(kBlock)
    count_kernel(WarpTilePlan plan, WarpTileArrays arrays, TileWindow window) {
  const int lane = threadIdx.x % 32;
  const std::int64_t index =
      static_cast<std::int64_t>(blockIdx.x) * (kBlock / 32) + threadIdx.x / 32;
  if (index >= window.blocks) return;
  const TilePlace block = plan.block_at(window.first + index);
  std::uint32_t candidates = 0;
  for (int k = 0; k < plan.classes; ++k) {
    const CandidateRows rows = candidate_rows(plan, k, arrays.reach, block);
    for (int row = lane; row < rows.count(); row += 32)
      candidates += range_at(plan.reach_class[k], rows, arrays.starts, row).length;
  }
  candidates = warp_sum(candidates);
  if (lane > 0) return;
  arrays.candidates[index] = owns_any(plan, arrays, block) ? candidates : 0;
  arrays.done[index] = 0;
  // Counts all blocks, not only its own: the total determines how crowded ones are divided.
  if (candidates > 0)
    atomicAdd(&arrays.counters->candidates, static_cast<unsigned long long>(candidates));
}

/// One thread per block of tiles. The order of the items differs from run to run, but their sums do
/// not.
__global__ void __launch_bounds__(kBlock)
    list_kernel(WarpTilePlan plan, WarpTileArrays arrays, TileWindow window) {
  const std::int64_t index = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (index >= window.blocks) return;
  const std::uint32_t candidates = arrays.candidates[index];
  if (candidates == 0) return;
  const std::uint32_t item = candidates_of_item(plan, arrays.counters->candidates);
  const std::uint32_t items = (candidates - 1) / item + 1;
  const std::uint32_t slot = items > 1 ? atomicAdd(&arrays.counters->slots, items) : 0;
  const std::uint32_t first =
      candidates < item / 4 ? most_items(plan, window) - 1 - atomicAdd(&arrays.counters->few, items)
                            : atomicAdd(&arrays.counters->items, items);
  for (std::uint32_t k = 0; k < items; ++k)
    arrays.items[first + k] = {static_cast<std::uint32_t>(index), k, items, slot};
}

}  // namespace

void list_tile_items(const WarpTilePlan& plan, const WarpTileArrays& arrays, TileWindow window,
                     cudaStream_t stream) {
  gpu::check(cudaMemsetAsync(arrays.counters, 0, sizeof(TileCounters), stream),
             "clear the counters");
  constexpr std::int64_t kWarps = kBlock / 32;
  count_kernel<<<static_cast<unsigned>((window.blocks + kWarps - 1) / kWarps), kBlock, 0, stream>>>(
      plan, arrays, window);
  gpu::check_launch("count the candidates of tiles");
  list_kernel<<<static_cast<unsigned>((window.blocks + kBlock - 1) / kBlock), kBlock, 0, stream>>>(
      plan, arrays, window);
  gpu::check_launch("list the items of tiles");
}

void sum_tiles(const WarpTilePlan& plan, const Kernel& kernel, const WarpTileArrays& arrays,
               TileWindow window, int multiprocessors, cudaStream_t stream) {
  if (plan.wide)
    launch_tile_sums<double>(plan, kernel, arrays, window, multiprocessors, stream);
  else
    launch_tile_sums<float>(plan, kernel, arrays, window, multiprocessors, stream);
}

}  // namespace skde::kernels
