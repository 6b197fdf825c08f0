#include "engines/cuda/cuda_device.hpp"

namespace skde {

void CudaDevice::start() {
  gpu::select_device(index_);
  const std::lock_guard lock(mutex_);
  if (stream_) return;
  info_ = gpu::device_info(index_);
  stream_.emplace();
}

void CudaDevice::upload(std::span<const double> from, gpu::DeviceBuffer<double>& to) {
  constexpr std::size_t kLargeBytes = std::size_t{64} << 20;  // from which pinned memory pays
  const std::lock_guard lock(upload_mutex_);
  to.reserve(from.size());
  if (from.size_bytes() >= kLargeBytes) {
    if (!pinned_) pinned_ = std::make_unique<gpu::PinnedUpload>();
    return pinned_->copy(from, to);
  }
  const gpu::Stream stream;
  to.upload(from, stream);
  stream.wait();
}

}  // namespace skde
