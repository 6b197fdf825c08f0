#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// Samples put in the order of the cells of a lattice. A key is a sample's cell, or the number of
/// cells if the sample is in none.
namespace skde::kernels {

/// Returns the bits of a key for this number of cells.
int key_bits(std::int64_t cells);

/// Sorts the pairs by key, stably. `keys` and `indices` each point to two arrays of `count`;
/// returns which of the two holds the result. If scratch is nullptr, only scratch_bytes is set.
int sort_keys(std::uint32_t* keys[2], std::uint32_t* indices[2], std::int64_t count, int bits,
              void* scratch, std::size_t& scratch_bytes, cudaStream_t stream);

/// Sets starts[c] to the first sorted sample of cell c, for c in [0, cells]. The samples of a run
/// of cells are contiguous.
void find_starts(const std::uint32_t* keys, std::int64_t count, std::int64_t cells,
                 std::uint32_t* starts, cudaStream_t stream);

}  // namespace skde::kernels
