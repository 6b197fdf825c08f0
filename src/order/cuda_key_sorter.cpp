#if SKDE_HAS_CUDA
#include <algorithm>
#include <array>
#include <bit>
#include <future>
#include <memory>

#include "core/report/error.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/device_info.hpp"
#include "gpu/pinned_copies.hpp"
#include "kernels/order/key_sort.hpp"
#include "order/key_sorter.hpp"
#include "order/sorted_order.hpp"

namespace skde {
namespace {

/// The memory of a GPU for keys and rows, and the way to it.
class SortDevice {
 public:
  void sort(std::span<const std::uint64_t> keys, std::span<std::uint32_t> order) {
    gpu::select_device(0);
    const std::uint64_t varying = varying_bits(keys);
    if (varying == 0 || !make_room(keys.size())) return sort_order(keys, order);
    const auto count = static_cast<std::int64_t>(keys.size());
    copies_.to_device(keys.data(), keys_[0].data(), keys.size_bytes());
    const std::array pair_keys{keys_[0].data(), keys_[1].data()};
    const std::array pair_rows{rows_[0].data(), rows_[1].data()};
    kernels::number_rows(pair_rows[0], count, stream_.get());
    const kernels::KeyBits bits{std::countr_zero(varying),
                                static_cast<int>(std::bit_width(varying))};
    std::size_t bytes = scratch_.size();
    const int sorted = kernels::sort_key_rows(pair_keys, pair_rows, count, bits, scratch_.data(),
                                              bytes, stream_.get());
    stream_.wait();
    copies_.to_host(pair_rows[static_cast<std::size_t>(sorted)], order.data(), order.size_bytes());
  }

 private:
  /// Returns false if the GPU lacks the memory.
  bool make_room(std::size_t count) {
    if (keys_[0].size() >= count) return true;
    std::size_t bytes = 0;
    kernels::sort_key_rows({}, {}, static_cast<std::int64_t>(count), {0, 64}, nullptr, bytes,
                           stream_.get());
    const std::size_t pair = sizeof(std::uint64_t) + sizeof(std::uint32_t);
    release();
    constexpr std::size_t kSpare = std::size_t{256} << 20;
    if (gpu::free_memory() < 2 * pair * count + bytes + kSpare) return false;
    for (std::size_t i = 0; i < 2; ++i) {
      keys_[i] = gpu::DeviceBuffer<std::uint64_t>(count);
      rows_[i] = gpu::DeviceBuffer<std::uint32_t>(count);
    }
    scratch_ = gpu::DeviceBuffer<std::byte>(bytes);
    return true;
  }

  void release() {
    for (std::size_t i = 0; i < 2; ++i) {
      keys_[i] = gpu::DeviceBuffer<std::uint64_t>();
      rows_[i] = gpu::DeviceBuffer<std::uint32_t>();
    }
    scratch_ = gpu::DeviceBuffer<std::byte>();
  }

  gpu::Stream stream_;
  gpu::PinnedCopies copies_;
  std::array<gpu::DeviceBuffer<std::uint64_t>, 2> keys_;
  std::array<gpu::DeviceBuffer<std::uint32_t>, 2> rows_;
  gpu::DeviceBuffer<std::byte> scratch_;
};

/// Starts the GPU while rows are read.
class CudaKeySorter final : public KeySorter {
 public:
  CudaKeySorter() {
    if (const std::string reason = gpu::unavailable_reason(); !reason.empty())
      throw Error(ErrorKind::resources, reason, {"engine", "use `engine=cpu`"});
    starting_ = std::async(std::launch::async, [] {
      gpu::select_device(0);
      return std::make_unique<SortDevice>();
    });
  }

  std::string device() const override { return gpu::device_info(0).name; }

  void sort(std::span<const std::uint64_t> keys, std::span<std::uint32_t> order) override {
    if (starting_.valid()) device_ = starting_.get();
    device_->sort(keys, order);
  }

 private:
  std::future<std::unique_ptr<SortDevice>> starting_;
  std::unique_ptr<SortDevice> device_;
};

}  // namespace

std::unique_ptr<KeySorter> gpu_key_sorter() { return std::make_unique<CudaKeySorter>(); }
bool has_gpu_key_sorter() { return gpu::device_count() > 0; }

}  // namespace skde
#endif
