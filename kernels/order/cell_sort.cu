#include "kernels/order/cell_sort.hpp"

#include <cub/device/device_radix_sort.cuh>

#include "gpu/check.hpp"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;

/// Returns the first of `count` sorted keys that is not below `key`.
__device__ std::uint32_t lower_bound(const std::uint32_t* keys, std::int64_t count,
                                     std::uint32_t key) {
  std::int64_t first = 0, last = count;
  while (first < last) {
    const std::int64_t middle = first + (last - first) / 2;
    if (keys[middle] < key)
      first = middle + 1;
    else
      last = middle;
  }
  return static_cast<std::uint32_t>(first);
}

__global__ void starts_kernel(const std::uint32_t* keys, std::int64_t count, std::int64_t cells,
                              std::uint32_t* starts) {
  const std::int64_t c = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (c <= cells) starts[c] = lower_bound(keys, count, static_cast<std::uint32_t>(c));
}

}  // namespace

int key_bits(std::int64_t cells) {
  int bits = 1;
  while ((std::int64_t{1} << bits) <= cells) ++bits;
  return bits;
}

int sort_keys(std::uint32_t* keys[2], std::uint32_t* indices[2], std::int64_t count, int bits,
              void* scratch, std::size_t& scratch_bytes, cudaStream_t stream) {
  cub::DoubleBuffer<std::uint32_t> key_buffer(keys[0], keys[1]),
      index_buffer(indices[0], indices[1]);
  gpu::check(cub::DeviceRadixSort::SortPairs(scratch, scratch_bytes, key_buffer, index_buffer,
                                             count, 0, bits, stream),
             "sort the samples");
  // Keys and indices switch buffers together, so one selector serves both.
  return key_buffer.selector;
}

void find_starts(const std::uint32_t* keys, std::int64_t count, std::int64_t cells,
                 std::uint32_t* starts, cudaStream_t stream) {
  starts_kernel<<<static_cast<unsigned>(cells / kBlock + 1), kBlock, 0, stream>>>(keys, count,
                                                                                  cells, starts);
  gpu::check_launch("find the starts of the cells");
}

}  // namespace skde::kernels
