#include "bench/sort/cuda_sorts.hpp"

#include <array>
#include <type_traits>

#include "gpu/device_buffer.hpp"
#include "gpu/device_info.hpp"
#include "gpu/stage_timer.hpp"
#include "kernels/sort/bitonic_global.hpp"
#include "kernels/sort/bitonic_tiles.hpp"
#include "kernels/sort/library_sorts.hpp"
#include "kernels/sort/odd_even.hpp"

namespace skde::bench {
namespace {

template <class Key, class Value>
class DeviceItems {
 public:
  explicit DeviceItems(std::size_t count) : keys_(count), values_(kAlone ? 0 : count) {}

  kernels::SortArrays<Key, Value> arrays() {
    kernels::SortArrays<Key, Value> arrays;
    arrays.keys = keys_.data();
    if constexpr (!kAlone) arrays.values = values_.data();
    arrays.count = static_cast<std::int64_t>(keys_.size());
    return arrays;
  }

  void upload(const SortItems& items, const gpu::Stream& stream) {
    keys_.upload(std::get<std::vector<Key>>(items.keys), stream);
    values_.upload(items.values, stream);
    stream.wait();
  }
  SortItems download(const gpu::Stream& stream) const {
    SortItems items;
    keys_.download(items.keys.emplace<std::vector<Key>>(keys_.size()), stream);
    items.values.resize(values_.size());
    values_.download(items.values, stream);
    return items;
  }
  void copy_from(const DeviceItems& other, const gpu::Stream& stream) {
    copy(keys_, other.keys_, stream);
    copy(values_, other.values_, stream);
  }

 private:
  static constexpr bool kAlone = std::is_same_v<Value, kernels::NoValue>;

  template <class T>
  static void copy(gpu::DeviceBuffer<T>& to, const gpu::DeviceBuffer<T>& from,
                   const gpu::Stream& stream) {
    if (from.size() == 0) return;
    gpu::check(cudaMemcpyAsync(to.data(), from.data(), from.bytes(), cudaMemcpyDeviceToDevice,
                               stream.get()),
               "copy what is sorted");
  }

  gpu::DeviceBuffer<Key> keys_;
  gpu::DeviceBuffer<std::uint32_t> values_;
};

template <class Key, class Value>
class CudaRun : public SortRun {
 public:
  CudaRun(CudaSort sort, const SortItems& items)
      : sort_(sort),
        given_(items.size()),
        work_{DeviceItems<Key, Value>(items.size()),
              DeviceItems<Key, Value>(sort == CudaSort::radix ? items.size() : 0)} {
    given_.upload(items, stream_);
    std::size_t bytes = 0;
    if (sort == CudaSort::radix || sort == CudaSort::merging) enqueue(nullptr, bytes);
    scratch_ = gpu::DeviceBuffer<std::byte>(bytes);
  }

  double sort() override {
    work_[0].copy_from(given_, stream_);
    std::size_t bytes = scratch_.size();
    gpu::StageTimer timer(stream_);
    enqueue(scratch_.data(), bytes);
    timer.mark("sort");
    return timer.finish().front().seconds;
  }

  SortItems take_sorted() override { return work_[result_].download(stream_); }

 private:
  void enqueue(void* scratch, std::size_t& bytes) {
    const kernels::SortArrays<Key, Value> all[2] = {work_[0].arrays(), work_[1].arrays()};
    const cudaStream_t stream = stream_.get();
    if (sort_ == CudaSort::radix)
      result_ = static_cast<std::size_t>(kernels::sort_by_radix(all, scratch, bytes, stream));
    if (sort_ == CudaSort::merging) kernels::sort_by_merging(all[0], scratch, bytes, stream);
    if (sort_ == CudaSort::bitonic_passes) kernels::sort_by_bitonic_passes(all[0], stream);
    if (sort_ == CudaSort::bitonic_tiles) kernels::sort_by_bitonic_tiles(all[0], stream);
    if (sort_ == CudaSort::transposition) kernels::sort_by_transposition(all[0], stream);
  }

  CudaSort sort_;
  gpu::Stream stream_;
  DeviceItems<Key, Value> given_;
  std::array<DeviceItems<Key, Value>, 2> work_;  ///< the second one for the radix sort
  gpu::DeviceBuffer<std::byte> scratch_;
  std::size_t result_ = 0;  ///< which one of these has the result
};

}  // namespace

std::unique_ptr<SortRun> begin_cuda_sort(CudaSort sort, const SortItems& items, int device) {
  gpu::select_device(device);
  if (items.keys.index() == 0)
    return std::make_unique<CudaRun<std::uint32_t, kernels::NoValue>>(sort, items);
  if (items.values.empty())
    return std::make_unique<CudaRun<std::uint64_t, kernels::NoValue>>(sort, items);
  return std::make_unique<CudaRun<std::uint64_t, std::uint32_t>>(sort, items);
}

}  // namespace skde::bench
