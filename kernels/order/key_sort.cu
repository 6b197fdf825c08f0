#include "kernels/order/key_sort.hpp"

#include <cub/device/device_radix_sort.cuh>

#include "gpu/check.hpp"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;

__global__ void number_kernel(std::uint32_t* rows, std::int64_t count) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i < count) rows[i] = static_cast<std::uint32_t>(i);
}

}  // namespace

void number_rows(std::uint32_t* rows, std::int64_t count, cudaStream_t stream) {
  number_kernel<<<static_cast<unsigned>((count + kBlock - 1) / kBlock), kBlock, 0, stream>>>(rows,
                                                                                             count);
  gpu::check_launch("number the rows");
}

int sort_key_rows(const std::array<std::uint64_t*, 2>& keys,
                  const std::array<std::uint32_t*, 2>& rows, std::int64_t count, KeyBits bits,
                  void* scratch, std::size_t& scratch_bytes, cudaStream_t stream) {
  cub::DoubleBuffer<std::uint64_t> key_buffer(keys[0], keys[1]);
  cub::DoubleBuffer<std::uint32_t> row_buffer(rows[0], rows[1]);
  gpu::check(cub::DeviceRadixSort::SortPairs(scratch, scratch_bytes, key_buffer, row_buffer, count,
                                             bits.begin, bits.end, stream),
             "sort the keys");
  // Keys and rows switch buffers together, so one selector serves both.
  return key_buffer.selector;
}

}  // namespace skde::kernels
