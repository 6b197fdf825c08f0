#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/kernel/kernel_shape.hpp"
#include "core/space/tile_share.hpp"
#include "kernels/tile/warp_tile_order.hpp"
#include "kernels/tile/warp_tile_plan.hpp"

/// The tile engine on CUDA. A warp owns a tile of cells and sums the kernels that reach it in
/// registers. The warps of a block of tiles together cull the candidates from contiguous ranges of
/// sorted samples. It supports any profile, and a weight and a shape per sample, without atomics on
/// values.
namespace skde::kernels {

/// A part of a block's candidates. A block with many candidates is shared by several items.
struct TileItem {
  std::uint32_t block, number, items;  ///< item `number` of the block's `items`
  std::uint32_t slot;                  ///< where the block's first item puts its sums, if shared
};

struct TileCounters {
  unsigned long long candidates;  ///< of all blocks
  std::uint32_t items, few;       ///< items, without those of few candidates; the latter
  std::uint32_t slots, begun;
};

/// Device memory that the caller provides.
struct WarpTileArrays {
  WarpTileSamples samples;
  const std::uint32_t* starts = nullptr;  ///< plan.keys() + 1 values
  const std::int32_t* reach = nullptr;    ///< 3 values per class
  std::uint32_t* candidates = nullptr;    ///< per block of the window
  std::uint32_t* done = nullptr;          ///< per block of the window: finished items
  TileItem* items = nullptr;              ///< blocks of the window + plan.shared_items()
  TileCounters* counters = nullptr;       ///< one object
  void* shared = nullptr;                 ///< kSharedSums bytes
  float* floats = nullptr;                ///< the volume, of either type
  double* doubles = nullptr;
  std::int32_t first_slice = 0, end_slice = 0;  ///< slices of the grid that the volume holds
  TileShare share;                              ///< tiles that are summed, of those it holds

  SKDE_HOST_DEVICE bool owns(TilePlace tile) const {
    return tile.z >= first_slice && tile.z < end_slice &&
           share.has(tile.x / kWarpTileX, tile.y / kWarpTileY, tile.z / kWarpTileZ);
  }
};

/// Returns the place of tile `k` of a block.
SKDE_HOST_DEVICE inline TilePlace tile_of(TileBlock block, const TilePlace& at, int k) {
  return {at.x + k % block.x * kWarpTileX, at.y + k / block.x * kWarpTileY, at.z};
}

/// Blocks of layers along z that are processed together.
struct TileWindow {
  std::int64_t first = 0, blocks = 0;
};

/// Counts the candidates of the window's blocks and lists the items. Those of few candidates are
/// listed from the end and summed last, so that multiprocessors end together.
void list_tile_items(const WarpTilePlan& plan, const WarpTileArrays& arrays, TileWindow window,
                     cudaStream_t stream);

/// Adds the density of the listed items to the volume. The result is reproducible, because every
/// cell is summed in the order of the samples.
void sum_tiles(const WarpTilePlan& plan, const Kernel& kernel, const WarpTileArrays& arrays,
               TileWindow window, int multiprocessors, cudaStream_t stream);

/// sum_tiles() in float and in double.
template <class Real>
void launch_tile_sums(const WarpTilePlan& plan, const Kernel& kernel, const WarpTileArrays& arrays,
                      TileWindow window, int multiprocessors, cudaStream_t stream);
extern template void launch_tile_sums<float>(const WarpTilePlan&, const Kernel&,
                                             const WarpTileArrays&, TileWindow, int, cudaStream_t);
extern template void launch_tile_sums<double>(const WarpTilePlan&, const Kernel&,
                                              const WarpTileArrays&, TileWindow, int, cudaStream_t);

}  // namespace skde::kernels
