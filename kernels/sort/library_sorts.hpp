#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

#include "kernels/sort/sort_arrays.hpp"

namespace skde::kernels {

// The sorts of CUB. Both keep the order of items of equal keys. If scratch is nullptr, only
// scratch_bytes is set.

/// Sorts by CUB's radix sort, from one pair of arrays to another and back. Returns which of the two
/// (0 or 1) holds the result.
template <class Key, class Value>
int sort_by_radix(const SortArrays<Key, Value> (&arrays)[2], void* scratch,
                  std::size_t& scratch_bytes, cudaStream_t stream);

/// Sorts by CUB's merge sort.
template <class Key, class Value>
void sort_by_merging(const SortArrays<Key, Value>& arrays, void* scratch,
                     std::size_t& scratch_bytes, cudaStream_t stream);

}  // namespace skde::kernels
