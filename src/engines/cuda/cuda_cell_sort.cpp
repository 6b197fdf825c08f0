#include "engines/cuda/cuda_cell_sort.hpp"

namespace skde {

void CudaCellSort::reserve(std::size_t count) {
  for (int side = 0; side < 2; ++side) {
    keys_[side].reserve(count);
    indices_[side].reserve(count);
  }
}

void CudaCellSort::sort(std::int64_t count, int bits, cudaStream_t on) {
  std::uint32_t* keys[2] = {keys_[0].data(), keys_[1].data()};
  std::uint32_t* indices[2] = {indices_[0].data(), indices_[1].data()};
  std::size_t bytes = 0;
  kernels::sort_keys(keys, indices, count, bits, nullptr, bytes, on);
  scratch_.reserve(bytes);
  bytes = scratch_.size();
  side_ = kernels::sort_keys(keys, indices, count, bits, scratch_.data(), bytes, on);
}

void CudaCellSort::sort_into_cells(std::int64_t count, std::int64_t cells, cudaStream_t on) {
  starts_.reserve(static_cast<std::size_t>(cells) + 1);
  sort(count, kernels::key_bits(cells), on);
  kernels::find_starts(sorted_keys(), count, cells, starts_.data(), on);
}

}  // namespace skde
