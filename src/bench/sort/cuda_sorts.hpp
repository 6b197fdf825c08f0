#pragma once

#include "bench/sort/sorters.hpp"

namespace skde::bench {

/// The sorts of kernels/sort.
enum class CudaSort { radix, merging, bitonic_passes, bitonic_tiles, transposition };

/// Prepares a run on a CUDA device; only in builds with CUDA. The seconds of a sort are those
/// between two CUDA events around it. Throws Error(resources) without such a device or its memory.
std::unique_ptr<SortRun> begin_cuda_sort(CudaSort sort, const SortItems& items, int device);

}  // namespace skde::bench
