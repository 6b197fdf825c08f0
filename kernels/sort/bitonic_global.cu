#include "gpu/check.hpp"
#include "kernels/sort/bitonic_global.hpp"
#include "kernels/sort/sort_items.cuh"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;

/// The pass of a level that compares items whose places differ in this bit, and in all bits below
/// it if it is the first of the level. As the smaller key always goes to the lower place, items
/// beyond the end would stay there: they need not exist.
template <class Key, class Value>
__global__ void __launch_bounds__(kBlock)
    bitonic_pass_kernel(SortArrays<Key, Value> arrays, int bit, bool first_of_level) {
  const std::int64_t pair = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  const std::int64_t distance = std::int64_t{1} << bit;
  const std::int64_t lower = (pair >> bit << (bit + 1)) | (pair & (distance - 1));
  const std::int64_t upper = lower ^ (first_of_level ? 2 * distance - 1 : distance);
  if (upper < arrays.count) put_places_in_order(arrays, lower, upper);
}

}  // namespace

template <class Key, class Value>
void sort_by_bitonic_passes(const SortArrays<Key, Value>& arrays, cudaStream_t stream) {
  for (int level = 1; (std::int64_t{1} << (level - 1)) < arrays.count; ++level)
    for (int bit = level - 1; bit >= 0; --bit) {
      const std::int64_t span = std::int64_t{2} << bit;
      const std::int64_t pairs = (arrays.count + span - 1) / span * (span / 2);
      const auto blocks = static_cast<unsigned>((pairs + kBlock - 1) / kBlock);
      bitonic_pass_kernel<<<blocks, kBlock, 0, stream>>>(arrays, bit, bit == level - 1);
      gpu::check_launch("sort by a bitonic pass");
    }
}

template void sort_by_bitonic_passes(const SortArrays<std::uint32_t>&, cudaStream_t);
template void sort_by_bitonic_passes(const SortArrays<std::uint64_t>&, cudaStream_t);
template void sort_by_bitonic_passes(const SortArrays<std::uint64_t, std::uint32_t>&, cudaStream_t);

}  // namespace skde::kernels
