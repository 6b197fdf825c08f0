#include "gpu/check.hpp"
#include "kernels/sort/bitonic_tiles.hpp"
#include "kernels/sort/tile_items.cuh"

namespace skde::kernels {
namespace {

template <class Key, class Value>
__global__ void __launch_bounds__(kTileThreads) sort_tiles_kernel(SortArrays<Key, Value> arrays) {
  TileItems<Key, Value> tile;
  // Neighbouring lanes load neighbours. Only then are the items in the places of the tile, as those
  // beyond the end must come last.
  tile.template load<4>(arrays, blockIdx.x);
  tile.template exchange<4, 0>();
  tile.sort();
  tile.template exchange<0, 4>();
  tile.template store<4>(arrays, blockIdx.x);
}

/// The passes of a level that compare items of one tile.
template <class Key, class Value>
__global__ void __launch_bounds__(kTileThreads) merge_tiles_kernel(SortArrays<Key, Value> arrays) {
  TileItems<Key, Value> tile;
  tile.template load<8>(arrays, blockIdx.x);
  tile.template clean<kItemBits>();
  tile.template exchange<8, 4>();
  tile.template clean<kItemBits>();
  tile.template exchange<4, 0>();
  tile.template clean<kItemBits>();
  tile.template exchange<0, 4>();
  tile.template store<4>(arrays, blockIdx.x);
}

/// The passes of a level for `bits` bits of the places, from `lowest` on. Each thread has the items
/// whose places differ in these bits. In the first passes of a level the upper half of them is
/// mirrored, as its partners are.
template <int bits, bool first_of_level, class Key, class Value>
__global__ void __launch_bounds__(kTileThreads)
    merge_strides_kernel(SortArrays<Key, Value> arrays, int lowest) {
  constexpr int kItems = 1 << bits;
  const std::int64_t thread = static_cast<std::int64_t>(blockIdx.x) * kTileThreads + threadIdx.x;
  const std::int64_t mask = (std::int64_t{1} << lowest) - 1;
  const std::int64_t start = (thread >> lowest << (lowest + bits)) | (thread & mask);
  if (start >= arrays.count) return;
  const std::int64_t mirrored = first_of_level ? start ^ mask : start;
  SortItem<Key, Value> items[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k)
    items[k] = load_item(
        arrays, (2 * k < kItems ? start : mirrored) + (static_cast<std::int64_t>(k) << lowest));
  if constexpr (first_of_level)
    mirror_and_clean<bits>(items);
  else
    clean_items<bits>(items);
#pragma unroll
  for (int k = 0; k < kItems; ++k)
    store_item(arrays,
               (2 * k < kItems ? start : mirrored) + (static_cast<std::int64_t>(k) << lowest),
               items[k]);
}

template <int bits, class Key, class Value>
void merge_strides(const SortArrays<Key, Value>& arrays, int lowest, bool first_of_level,
                   cudaStream_t stream) {
  const std::int64_t span = std::int64_t{1} << (lowest + bits);
  const std::int64_t threads = (arrays.count + span - 1) / span << lowest;
  const auto blocks = static_cast<unsigned>(threads / kTileThreads);
  if (first_of_level)
    merge_strides_kernel<bits, true><<<blocks, kTileThreads, 0, stream>>>(arrays, lowest);
  else
    merge_strides_kernel<bits, false><<<blocks, kTileThreads, 0, stream>>>(arrays, lowest);
  gpu::check_launch("merge at a distance");
}

/// All passes of a level from its first to those within tiles, as equally many at a time as can be.
template <class Key, class Value>
void merge_above_tiles(const SortArrays<Key, Value>& arrays, int level, cudaStream_t stream) {
  int left = level - kTileBits;
  for (int launches = (left + kItemBits - 1) / kItemBits; launches > 0; --launches) {
    const int bits = (left + launches - 1) / launches;
    const bool first = left == level - kTileBits;
    left -= bits;
    const int lowest = kTileBits + left;
    if (bits == 1) merge_strides<1>(arrays, lowest, first, stream);
    if (bits == 2) merge_strides<2>(arrays, lowest, first, stream);
    if (bits == 3) merge_strides<3>(arrays, lowest, first, stream);
    if (bits == 4) merge_strides<4>(arrays, lowest, first, stream);
  }
}

/// Launches a kernel with a block for each tile.
template <class Key, class Value>
void for_each_tile(void (*kernel)(SortArrays<Key, Value>), const SortArrays<Key, Value>& arrays,
                   cudaStream_t stream) {
  constexpr int kBytes = TileItems<Key, Value>::kSharedBytes, kUsualBytes = 48 << 10;
  if constexpr (kBytes > kUsualBytes)
    gpu::check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
               "take the shared memory of a tile");
  const auto tiles = static_cast<unsigned>((arrays.count + kTileSize - 1) / kTileSize);
  kernel<<<tiles, kTileThreads, kBytes, stream>>>(arrays);
  gpu::check_launch("sort tiles");
}

}  // namespace

template <class Key, class Value>
void sort_by_bitonic_tiles(const SortArrays<Key, Value>& arrays, cudaStream_t stream) {
  if (arrays.count < 2) return;
  for_each_tile(sort_tiles_kernel<Key, Value>, arrays, stream);
  for (int level = kTileBits + 1; (std::int64_t{1} << (level - 1)) < arrays.count; ++level) {
    merge_above_tiles(arrays, level, stream);
    for_each_tile(merge_tiles_kernel<Key, Value>, arrays, stream);
  }
}

template void sort_by_bitonic_tiles(const SortArrays<std::uint32_t>&, cudaStream_t);
template void sort_by_bitonic_tiles(const SortArrays<std::uint64_t>&, cudaStream_t);
template void sort_by_bitonic_tiles(const SortArrays<std::uint64_t, std::uint32_t>&, cudaStream_t);

}  // namespace skde::kernels
