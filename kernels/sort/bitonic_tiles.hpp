#pragma once

#include <cuda_runtime_api.h>

#include "kernels/sort/sort_arrays.hpp"

namespace skde::kernels {

/// Sorts by the bitonic network with few passes over global memory. A block sorts a tile of 4096
/// items in registers and shared memory. After that, a thread takes 16 items at equal distances
/// through four passes at a time, until distances are within a tile, which a block then finishes.
/// 2^20 items take 21 launches, where sort_by_bitonic_passes takes 210. Items of equal keys may
/// change their order. Throws Error(resources) if a block cannot have the shared memory of a tile,
/// 51 KiB for pairs.
template <class Key, class Value>
void sort_by_bitonic_tiles(const SortArrays<Key, Value>& arrays, cudaStream_t stream);

}  // namespace skde::kernels
