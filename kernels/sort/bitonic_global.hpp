#pragma once

#include <cuda_runtime_api.h>

#include "kernels/sort/sort_arrays.hpp"

namespace skde::kernels {

/// Sorts by the bitonic network (Batcher, Sorting networks and their applications, AFIPS 1968) as a
/// plain shader does: one launch a pass over global memory, one comparison a thread. N items take
/// k (k + 1) / 2 passes, k = ceil(log2 N). Items of equal keys may change their order.
template <class Key, class Value>
void sort_by_bitonic_passes(const SortArrays<Key, Value>& arrays, cudaStream_t stream);

}  // namespace skde::kernels
