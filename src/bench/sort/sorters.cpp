#include "bench/sort/sorters.hpp"

#include <array>

#include "bench/sort/cuda_sorts.hpp"
#include "bench/sort/host_sorts.hpp"
#include "core/report/error.hpp"
#if SKDE_HAS_CUDA
#include "gpu/device_info.hpp"
#endif

namespace skde::bench {
namespace {

std::string cuda_missing() {
#if SKDE_HAS_CUDA
  return gpu::unavailable_reason();
#else
  return "built without the CUDA toolkit";
#endif
}

template <CudaSort sort>
std::unique_ptr<SortRun> on_cuda([[maybe_unused]] const SortItems& items,
                                 [[maybe_unused]] int device) {
#if SKDE_HAS_CUDA
  return begin_cuda_sort(sort, items, device);
#else
  throw Error(ErrorKind::resources, cuda_missing());
#endif
}

constexpr int kMostTransposedBits = 17;  // 2^17 passes take about 0.3 s

constexpr std::array<Sorter, 7> kSorters{{
    {"std-sort",
     "std::sort, or std::stable_sort of pairs, on one core",
     Device::cpu,
     {},
     true,
     begin_std_sort},
    {"radix",
     "sorted_order of skde, then the keys gathered, on all cores",
     Device::cpu,
     {},
     true,
     begin_order_sort},
    {"cub-radix", "CUB's radix sort", Device::cuda, {}, true, on_cuda<CudaSort::radix>},
    {"cub-merge", "CUB's merge sort", Device::cuda, {}, true, on_cuda<CudaSort::merging>},
    {"bitonic-global",
     "the bitonic network, one launch for each pass in global memory",
     Device::cuda,
     {},
     false,
     on_cuda<CudaSort::bitonic_passes>},
    {"bitonic-tiles",
     "the bitonic network in registers and shared memory",
     Device::cuda,
     {},
     false,
     on_cuda<CudaSort::bitonic_tiles>},
    {"odd-even", "odd-even transposition, N passes in global memory", Device::cuda,
     kMostTransposedBits, true, on_cuda<CudaSort::transposition>},
}};

}  // namespace

std::string Sorter::unavailable() const { return device == Device::cuda ? cuda_missing() : ""; }

std::span<const Sorter> sorters() { return kSorters; }

}  // namespace skde::bench
