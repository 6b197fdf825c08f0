#pragma once

#include <cuda_runtime_api.h>

#include "kernels/sort/sort_arrays.hpp"

namespace skde::kernels {

/// Sorts by odd-even transposition (Habermann, Parallel neighbor-sort, 1972): N passes over global
/// memory compare neighbours, in turn from an even and from an odd place on. Items of equal keys
/// keep their order.
template <class Key, class Value>
void sort_by_transposition(const SortArrays<Key, Value>& arrays, cudaStream_t stream);

}  // namespace skde::kernels
