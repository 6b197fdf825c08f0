#include "viewer/layers/volume/density_transfer.hpp"

#include "core/report/error.hpp"
#include "engines/value_buffer.hpp"
#if SKDE_HAS_CUDA
#include "gpu/device_info.hpp"
#include "viewer/layers/volume/cuda_texture_copy.hpp"
#endif

namespace skde::view {

#if SKDE_HAS_CUDA
DensityTransfer::DensityTransfer(int device, bool interop) : device_(device) {
  reason_ = interop ? CudaTextureCopy::refusal(device) : "--no-interop was given";
  if (reason_.empty()) copy_ = std::make_unique<CudaTextureCopy>();
}

DensityTransfer::~DensityTransfer() = default;

Histogram DensityTransfer::fill(ValueBuffer& buffer, VolumeTexture& texture, BrickGrid& bricks) {
  if (CudaTextureCopy::serves(buffer)) {
    gpu::select_device(device_);
    if (device_memory_ == 0) device_memory_ = gpu::device_info(device_).memory;
    device_bytes_ = static_cast<double>(device_memory_ - gpu::free_memory());
  }
  const bool is_whole = reduction_for(buffer.grid(), limits_) == Reduction{1, 1, 1};
  if (copy_ && is_whole && CudaTextureCopy::serves(buffer)) {
    try {
      Histogram histogram = copy_->copy(buffer, texture, bricks);
      path_ = "CUDA-GL interop";
      reduction_ = {1, 1, 1};
      return histogram;
    } catch (const Error& error) {
      reason_ = error.what();
      copy_.reset();
    }
  }
  // A texture that is about to be recreated must no longer be shared.
  if (copy_) copy_->release();
  return fill_from_host(buffer, texture, bricks);
}

#else
class CudaTextureCopy {};

DensityTransfer::DensityTransfer(int device, bool /*interop*/)
    : device_(device), reason_("this build was made without CUDA") {}

DensityTransfer::~DensityTransfer() = default;

Histogram DensityTransfer::fill(ValueBuffer& buffer, VolumeTexture& texture, BrickGrid& bricks) {
  return fill_from_host(buffer, texture, bricks);
}
#endif

Histogram DensityTransfer::fill_from_host(ValueBuffer& buffer, VolumeTexture& texture,
                                          BrickGrid& bricks) {
  reduction_ = reduction_for(buffer.grid(), limits_);
  const auto upload = [&](const Volume& volume) {
    if (reduction_ == Reduction{1, 1, 1})
      texture.upload(volume);
    else
      texture.upload(reduced(volume, reduction_));
  };
  if (const Volume* const volume = buffer.on_host())
    upload(*volume);
  else
    upload(buffer.take_volume());
  path_ = "from host memory";
  bricks.update(texture);
  return histogram_.count(texture, bricks.positive_range());
}

}  // namespace skde::view
