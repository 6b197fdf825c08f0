#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace skde::kernels {

/// The bits of a key that decide its place: from `begin` to below `end`.
struct KeyBits {
  int begin = 0, end = 64;
};

/// Sets rows[i] to i.
void number_rows(std::uint32_t* rows, std::int64_t count, cudaStream_t stream);

/// Sorts pairs of a key and its row by these bits of the key, stably. `keys` and `rows` are two
/// arrays of `count` each; returns which of the two holds the result. If scratch is nullptr, only
/// scratch_bytes is set.
int sort_key_rows(const std::array<std::uint64_t*, 2>& keys,
                  const std::array<std::uint32_t*, 2>& rows, std::int64_t count, KeyBits bits,
                  void* scratch, std::size_t& scratch_bytes, cudaStream_t stream);

}  // namespace skde::kernels
