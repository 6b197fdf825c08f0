#include "engines/cuda_buffer.hpp"

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
Volume CudaBuffer<Real>::take_volume() {
  accumulated_values();  // a buffer that nothing was added to is 0
  std::vector<Real> values(values_.size());
  values_.download(values, stream_);
  return Volume(grid_, std::move(values));
}

template class CudaBuffer<float>;
template class CudaBuffer<double>;

}  // namespace skde
