#include "viewer/layers/volume/cuda_texture_copy.hpp"

#include <cuda_runtime.h>
// Must follow the headers above, whose names it uses.
#include <cuda_gl_interop.h>
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "gpu/check.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/device_info.hpp"
#include "kernels/texture_pass.hpp"

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

/// What a pass needs on the card besides the textures.
struct CudaTextureCopy::Memory {
  explicit Memory(int device) : multiprocessors(gpu::device_info(device).multiprocessors) {}

  int multiprocessors;
  gpu::Stream stream;
  gpu::DeviceBuffer<unsigned long long> counts{Histogram::kBins};
};

namespace {

/// What kernels write a mapped texture by.
class Surface {
 public:
  explicit Surface(cudaGraphicsResource* resource) {
    cudaResourceDesc description{};
    description.resType = cudaResourceTypeArray;
    gpu::check(cudaGraphicsSubResourceGetMappedArray(&description.res.array.array, resource, 0, 0),
               "find the texture");
    gpu::check(cudaCreateSurfaceObject(&object_, &description), "write to the texture");
  }
  ~Surface() { cudaDestroySurfaceObject(object_); }
  Surface(const Surface&) = delete;
  Surface& operator=(const Surface&) = delete;
  cudaSurfaceObject_t object() const { return object_; }

 private:
  cudaSurfaceObject_t object_ = 0;
};

/// Maps textures for CUDA; the destructor makes later drawing wait for what was written.
class Mapped {
 public:
  Mapped(std::vector<cudaGraphicsResource*> resources, cudaStream_t stream)
      : resources_(std::move(resources)), stream_(stream) {
    gpu::check(
        cudaGraphicsMapResources(static_cast<int>(resources_.size()), resources_.data(), stream_),
        "map the texture");
  }
  ~Mapped() {
    cudaGraphicsUnmapResources(static_cast<int>(resources_.size()), resources_.data(), stream_);
  }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;

 private:
  std::vector<cudaGraphicsResource*> resources_;
  cudaStream_t stream_;
};

static_assert(kernels::kTextureBins == Histogram::kBins);
static_assert(kernels::kTextureBrick == BrickGrid::kBrickCells);

kernels::TexturePass pass_over(const DeviceValues& density, const Grid& grid,
                               const HistogramBins& bins) {
  kernels::TexturePass pass;
  pass.values = static_cast<const float*>(density.data);
  for (std::size_t axis = 0; axis < 3; ++axis) pass.dims[axis] = static_cast<int>(grid.dims[axis]);
  pass.least = bins.least;
  pass.bin_scale = bins.scale;
  pass.bin_offset = bins.offset;
  return pass;
}

}  // namespace

CudaTextureCopy::CudaTextureCopy() = default;
CudaTextureCopy::~CudaTextureCopy() { release(); }

void CudaTextureCopy::release() {
  values_.release();
  means_.release();
  ranges_.release();
}

void CudaTextureCopy::Shared::release() {
  if (resource != nullptr) cudaGraphicsUnregisterResource(resource);
  resource = nullptr;
  attached = 0;
}

void CudaTextureCopy::Shared::attach(GLuint texture) {
  if (attached == texture) return;
  release();
  gpu::check(cudaGraphicsGLRegisterImage(&resource, texture, GL_TEXTURE_3D,
                                         cudaGraphicsRegisterFlagsSurfaceLoadStore),
             "share the texture with CUDA");
  attached = texture;
}

bool CudaTextureCopy::serves(ValueBuffer& buffer) {
  return buffer.precision() == Precision::f32 && buffer.on_device().has_value();
}

Histogram CudaTextureCopy::copy(ValueBuffer& buffer, VolumeTexture& texture, BrickGrid& bricks) {
  const DeviceValues density = buffer.on_device().value();
  const Grid& grid = buffer.grid();
  gpu::select_device(density.device);
  if (!memory_) memory_ = std::make_unique<Memory>(density.device);
  const bool means =
      std::ranges::all_of(grid.dims, [](std::int64_t cells) { return cells % 2 == 0; });
  if (!texture.fits(grid, means)) release();
  texture.reserve(grid, means);
  bricks.reserve(texture);
  values_.attach(texture.texture().id());
  if (means) means_.attach(texture.means().id());
  ranges_.attach(bricks.ranges().id());

  const PositiveRange range{density.least, density.greatest};
  Histogram histogram;
  if (range.greatest > 0) histogram.axis = histogram_axis(range);
  const gpu::Stream& stream = memory_->stream;
  memory_->counts.clear(stream);
  {
    // No need to wait for the engine's stream: its run has ended before it hands over its buffer.
    std::vector<cudaGraphicsResource*> resources{values_.resource, ranges_.resource};
    if (means) resources.push_back(means_.resource);
    const Mapped mapped(std::move(resources), stream.get());
    const Surface values(values_.resource), ranges(ranges_.resource);
    kernels::TexturePass pass = pass_over(density, grid, HistogramBins(range, 1));
    pass.texture = values.object();
    pass.ranges = ranges.object();
    std::optional<Surface> half;
    if (means) pass.half = half.emplace(means_.resource).object();
    pass.counts = memory_->counts.data();
    kernels::fill_texture(pass, memory_->multiprocessors, stream.get());
    std::array<unsigned long long, Histogram::kBins> counts;
    memory_->counts.download(counts, stream);
    std::ranges::copy(counts, histogram.counts.begin());
  }
  bricks.filled(range);
  if (means) texture.means_written();
  return histogram;
}

}  // namespace skde::view
