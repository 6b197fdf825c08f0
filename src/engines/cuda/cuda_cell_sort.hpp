#pragma once

#include <cstdint>

#include "gpu/device_buffer.hpp"
#include "kernels/order/cell_sort.hpp"

namespace skde {

/// Sorts indices by keys, stably, on a device. Memory is reused from one sort to the next.
class CudaCellSort {
 public:
  /// Reserves memory for so many keys and indices. The caller writes keys() and indices() then.
  void reserve(std::size_t count);
  std::uint32_t* keys() { return keys_[0].data(); }
  std::uint32_t* indices() { return indices_[0].data(); }

  /// Sorts `count` pairs by so many bits of the keys.
  void sort(std::int64_t count, int bits, cudaStream_t on);
  /// Sorts samples whose keys are cells, or `cells` for those in none, and finds the starts().
  void sort_into_cells(std::int64_t count, std::int64_t cells, cudaStream_t on);

  const std::uint32_t* sorted_keys() const { return keys_[side_].data(); }
  const std::uint32_t* sorted_indices() const { return indices_[side_].data(); }
  /// The first sorted sample of each cell, and one past the last of all cells.
  const std::uint32_t* starts() const { return starts_.data(); }

 private:
  gpu::DeviceBuffer<std::uint32_t> keys_[2], indices_[2], starts_;
  gpu::DeviceBuffer<unsigned char> scratch_;
  int side_ = 0;  ///< of the sorted pairs
};

}  // namespace skde
