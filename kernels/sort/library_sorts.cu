#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <type_traits>

#include "gpu/check.hpp"
#include "kernels/sort/library_sorts.hpp"

namespace skde::kernels {
namespace {

struct Below {
  template <class Key>
  __device__ bool operator()(Key a, Key b) const {
    return a < b;
  }
};

template <class Value>
constexpr bool kAlone = std::is_same_v<Value, NoValue>;

}  // namespace

template <class Key, class Value>
int sort_by_radix(const SortArrays<Key, Value> (&arrays)[2], void* scratch,
                  std::size_t& scratch_bytes, cudaStream_t stream) {
  constexpr int kBits = 8 * sizeof(Key);
  cub::DoubleBuffer<Key> keys(arrays[0].keys, arrays[1].keys);
  if constexpr (kAlone<Value>) {
    gpu::check(cub::DeviceRadixSort::SortKeys(scratch, scratch_bytes, keys, arrays[0].count, 0,
                                              kBits, stream),
               "sort by radix");
  } else {
    cub::DoubleBuffer<Value> values(arrays[0].values, arrays[1].values);
    gpu::check(cub::DeviceRadixSort::SortPairs(scratch, scratch_bytes, keys, values,
                                               arrays[0].count, 0, kBits, stream),
               "sort by radix");
  }
  // Keys and values switch buffers together, so one selector serves both.
  return keys.selector;
}

template <class Key, class Value>
void sort_by_merging(const SortArrays<Key, Value>& arrays, void* scratch,
                     std::size_t& scratch_bytes, cudaStream_t stream) {
  if constexpr (kAlone<Value>)
    gpu::check(cub::DeviceMergeSort::StableSortKeys(scratch, scratch_bytes, arrays.keys,
                                                    arrays.count, Below{}, stream),
               "sort by merging");
  else
    gpu::check(cub::DeviceMergeSort::StableSortPairs(scratch, scratch_bytes, arrays.keys,
                                                     arrays.values, arrays.count, Below{}, stream),
               "sort by merging");
}

template int sort_by_radix(const SortArrays<std::uint32_t> (&)[2], void*, std::size_t&,
                           cudaStream_t);
template int sort_by_radix(const SortArrays<std::uint64_t> (&)[2], void*, std::size_t&,
                           cudaStream_t);
template int sort_by_radix(const SortArrays<std::uint64_t, std::uint32_t> (&)[2], void*,
                           std::size_t&, cudaStream_t);
template void sort_by_merging(const SortArrays<std::uint32_t>&, void*, std::size_t&, cudaStream_t);
template void sort_by_merging(const SortArrays<std::uint64_t>&, void*, std::size_t&, cudaStream_t);
template void sort_by_merging(const SortArrays<std::uint64_t, std::uint32_t>&, void*, std::size_t&,
                              cudaStream_t);

}  // namespace skde::kernels
