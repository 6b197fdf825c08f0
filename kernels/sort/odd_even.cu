#include "gpu/check.hpp"
#include "kernels/sort/odd_even.hpp"
#include "kernels/sort/sort_items.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;

template <class Key, class Value>
__global__ void __launch_bounds__(kBlock)
    transposition_kernel(SortArrays<Key, Value> arrays, int first_place) {
  const std::int64_t pair = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  const std::int64_t place = 2 * pair + first_place;
  if (place + 1 < arrays.count) put_places_in_order(arrays, place, place + 1);
}

}  // namespace

template <class Key, class Value>
void sort_by_transposition(const SortArrays<Key, Value>& arrays, cudaStream_t stream) {
  if (arrays.count < 2) return;
  const auto blocks = static_cast<unsigned>((arrays.count / 2 + kBlock - 1) / kBlock);
  for (std::int64_t pass = 0; pass < arrays.count; ++pass) {
    transposition_kernel<<<blocks, kBlock, 0, stream>>>(arrays, static_cast<int>(pass % 2));
    gpu::check_launch("sort by a transposition");
  }
}

template void sort_by_transposition(const SortArrays<std::uint32_t>&, cudaStream_t);
template void sort_by_transposition(const SortArrays<std::uint64_t>&, cudaStream_t);
template void sort_by_transposition(const SortArrays<std::uint64_t, std::uint32_t>&, cudaStream_t);

}  // namespace skde::kernels
