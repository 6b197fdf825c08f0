#include "viewer/volume/cuda_texture_copy.hpp"

#include <cuda_runtime.h>
// Must follow the headers above, whose names it uses.
#include <cuda_gl_interop.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "gpu/check.hpp"
#include "gpu/device_info.hpp"

namespace skde::view {

std::string CudaTextureCopy::refusal(int device) {
  if (std::string reason = gpu::unavailable_reason(); !reason.empty()) return reason;
  std::array<int, 16> devices{};
  unsigned count = 0;
  const cudaError_t status =
      cudaGLGetDevices(&count, devices.data(), devices.size(), cudaGLDeviceListAll);
  cudaGetLastError();  // "no device" is a valid answer and must not fail a later launch
  if (status != cudaSuccess || count == 0)
    return fmt::format("{} cannot draw from CUDA memory",
                       reinterpret_cast<const char*>(glGetString(GL_RENDERER)));
  if (std::find(devices.begin(), devices.begin() + count, device) == devices.begin() + count)
    return fmt::format("CUDA device {} is not the card that draws", device);
  return "";
}

CudaTextureCopy::~CudaTextureCopy() { release(); }

void CudaTextureCopy::release() {
  if (resource_ != nullptr) cudaGraphicsUnregisterResource(resource_);
  resource_ = nullptr;
  attached_ = 0;
}

bool CudaTextureCopy::serves(ValueBuffer& buffer) {
  return buffer.precision() == Precision::f32 && buffer.on_device().has_value();
}

void CudaTextureCopy::attach(GLuint texture) {
  if (attached_ == texture) return;
  release();
  gpu::check(cudaGraphicsGLRegisterImage(&resource_, texture, GL_TEXTURE_3D,
                                         cudaGraphicsRegisterFlagsWriteDiscard),
             "share the texture with CUDA");
  attached_ = texture;
}

void CudaTextureCopy::copy(ValueBuffer& buffer, VolumeTexture& texture) {
  const DeviceValues density = buffer.on_device().value();
  const Grid& grid = buffer.grid();
  gpu::select_device(density.device);
  if (attached_ != 0 && texture.dims_differ(grid)) release();
  texture.reserve(grid);
  attach(texture.texture().id());
  const auto [nx, ny, nz] = grid.dims;
  const auto width = static_cast<std::size_t>(nx), height = static_cast<std::size_t>(ny);
  gpu::check(cudaGraphicsMapResources(1, &resource_), "map the texture");
  cudaMemcpy3DParms parameters{};
  cudaError_t status = cudaGraphicsSubResourceGetMappedArray(&parameters.dstArray, resource_, 0, 0);
  if (status == cudaSuccess) {
    parameters.srcPtr = make_cudaPitchedPtr(const_cast<void*>(density.data), width * sizeof(float),
                                            width, height);  // the source is only read
    parameters.extent = make_cudaExtent(width, height, static_cast<std::size_t>(nz));
    parameters.kind = cudaMemcpyDeviceToDevice;
    // No need to wait for the engine's stream: its run has ended before it hands over its buffer.
    status = cudaMemcpy3DAsync(&parameters);
    if (status == cudaSuccess) status = cudaStreamSynchronize(nullptr);
  }
  // Unmapping makes subsequent drawing wait for the copy.
  const cudaError_t unmapped = cudaGraphicsUnmapResources(1, &resource_);
  gpu::check(status, "copy the density to the texture");
  gpu::check(unmapped, "unmap the texture");
}

}  // namespace skde::view
