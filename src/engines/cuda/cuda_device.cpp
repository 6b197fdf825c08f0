#include "engines/cuda/cuda_device.hpp"

namespace skde {
namespace {

/// Size from which pinned memory pays off.
constexpr std::size_t kLargeBytes = std::size_t{64} << 20;

}  // namespace

void CudaDevice::start() {
  const std::lock_guard lock(mutex_);
  if (stream_) return gpu::check(cudaSetDevice(index_), "select the device");
  gpu::select_device(index_);
  info_ = gpu::device_info(index_);
  stream_.emplace();
}

gpu::PinnedCopies& CudaDevice::pinned() {
  if (!pinned_) pinned_ = std::make_unique<gpu::PinnedCopies>();
  return *pinned_;
}

void CudaDevice::upload(std::span<const double> from, gpu::DeviceBuffer<double>& to) {
  const std::lock_guard lock(copy_mutex_);
  to.reserve(from.size());
  if (from.size_bytes() >= kLargeBytes)
    return pinned().to_device(from.data(), to.data(), from.size_bytes());
  const gpu::Stream stream;
  to.upload(from, stream);
  stream.wait();
}

void CudaDevice::download(const void* from, void* to, std::size_t bytes) {
  stream_->wait();
  const std::lock_guard lock(copy_mutex_);
  if (bytes >= kLargeBytes) return pinned().to_host(from, to, bytes);
  gpu::check(cudaMemcpy(to, from, bytes, cudaMemcpyDeviceToHost), "copy from the GPU");
}

}  // namespace skde
