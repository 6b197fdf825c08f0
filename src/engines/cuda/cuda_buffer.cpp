#include "engines/cuda/cuda_buffer.hpp"

#include <algorithm>
#include <vector>

namespace skde {

template <class Real>
CudaBuffer<Real>::CudaBuffer(const Grid& grid, const gpu::Stream& stream)
    : grid_(grid), stream_(stream), values_(static_cast<std::size_t>(grid.cells())) {}

template <class Real>
Real* CudaBuffer<Real>::accumulated_values() {
  if (cleared_) values_.clear(stream_);
  return overwritten_values();
}

template <class Real>
Real* CudaBuffer<Real>::overwritten_values() {
  cleared_ = false;
  return values_.data();
}

template <class Real>
ValueTotals CudaBuffer<Real>::totals() {
  const Real* const values = accumulated_values();
  totals_.reserve(kernels::kTotalBlocks);
  kernels::total_blocks(values, grid_.cells(), totals_.data(), stream_.get());
  std::vector<kernels::BlockTotals> blocks(kernels::kTotalBlocks);
  totals_.download(blocks, stream_);
  ValueTotals all{0, blocks[0].maximum};
  for (const kernels::BlockTotals& block : blocks) {
    all.sum += block.sum;
    all.maximum = std::max(all.maximum, block.maximum);
  }
  return all;
}

template <class Real>
void CudaBuffer<Real>::scale(double factor) {
  kernels::scale_values(accumulated_values(), grid_.cells(), factor, stream_.get());
  stream_.wait();
}

template <class Real>
Volume CudaBuffer<Real>::take_volume() {
  accumulated_values();  // a buffer that nothing was added to is 0
  std::vector<Real> values(values_.size());
  values_.download(values, stream_);
  return Volume(grid_, std::move(values));
}

template class CudaBuffer<float>;
template class CudaBuffer<double>;

}  // namespace skde
