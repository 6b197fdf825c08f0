#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "gpu/check.hpp"
#include "gpu/stream.hpp"

namespace skde::gpu {

/// Counts how often device memory was allocated or freed by a DeviceBuffer of this process.
class DeviceMemoryChanges {
 public:
  static std::uint64_t count() { return changes_; }
  static void add() { ++changes_; }

 private:
  static inline std::atomic<std::uint64_t> changes_ = 0;
};

/// Owns an array of T in device memory. Move-only; nothing is initialised.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    if (size == 0) return;
    check(cudaMalloc(reinterpret_cast<void**>(&data_), size * sizeof(T)), "allocate GPU memory");
    DeviceMemoryChanges::add();
  }
  ~DeviceBuffer() {
    if (!data_) return;
    cudaFree(data_);
    DeviceMemoryChanges::add();
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }

  T* data() { return data_; }
  const T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t bytes() const { return size_ * sizeof(T); }

  /// Grows to at least `size` elements; growing discards the contents. It doubles small arrays, so
  /// that sizes that grow from run to run seldom allocate.
  void reserve(std::size_t size) {
    constexpr std::size_t kMostSpare = (std::size_t{1} << 22) / sizeof(T);
    if (size <= size_) return;
    size = std::max(size, size_ + std::min(size_, kMostSpare));
    *this = DeviceBuffer();  // free first, as both at once may not fit
    *this = DeviceBuffer(size);
  }

  void upload(std::span<const T> from, const Stream& stream) {
    if (from.empty()) return;
    check(cudaMemcpyAsync(data_, from.data(), from.size_bytes(), cudaMemcpyHostToDevice,
                          stream.get()),
          "copy to the GPU");
  }
  /// Copies elements [first, first + to.size()) to the host and waits for them.
  void download(std::span<T> to, const Stream& stream, std::size_t first = 0) const {
    if (to.empty()) return;
    check(cudaMemcpyAsync(to.data(), data_ + first, to.size_bytes(), cudaMemcpyDeviceToHost,
                          stream.get()),
          "copy from the GPU");
    stream.wait();
  }
  void clear(const Stream& stream) {
    if (data_) check(cudaMemsetAsync(data_, 0, bytes(), stream.get()), "clear GPU memory");
  }

 private:
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace skde::gpu
