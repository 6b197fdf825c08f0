#include "engines/cuda/cuda_session.hpp"

#include <algorithm>
#include <stdexcept>

namespace skde {
namespace {

gpu::DeviceInfo open_device(int index) {
  gpu::select_device(index);
  return gpu::device_info(index);
}

}  // namespace

template <class Real>
CudaSession<Real>::CudaSession(const EngineOptions& options)
    : index_(options.device),
      memory_limit_(options.device_memory),
      device_(open_device(options.device)) {}

template <class Real>
StageTimes CudaSession<Real>::load(const PointsView& points) {
  activate();
  located_is_current_ = false;
  gpu::StageTimer timer(stream_);
  samples_.load(points, stream_);
  timer.mark("upload");
  return timer.finish();
}

template <class Real>
void CudaSession<Real>::prefetch(const PointsView& points) {
  activate();
  samples_.prefetch(points);
}

template <class Real>
std::int64_t CudaSession<Real>::volume_capacity(std::int64_t samples, std::int64_t sample_bytes,
                                                double volumes) const {
  activate();
  // What lists, sorts and the runtime need besides.
  constexpr std::int64_t kSmallThings = std::int64_t{64} << 20;
  constexpr std::int64_t kResidentBytes = 2 * 32;  // the loaded samples and the next
  const auto free = static_cast<std::int64_t>(gpu::free_memory());
  const std::int64_t usable = memory_limit_ > 0 ? std::min(memory_limit_, free) : free;
  const std::int64_t left = usable - kSmallThings - samples * (kResidentBytes + sample_bytes);
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(static_cast<double>(left) / volumes));
}

template <class Real>
Moments CudaSession<Real>::moments() {
  activate();
  return samples_.moments(stream_);
}

template <class Real>
StageTimes CudaSession<Real>::prepare(const DensityProblem& problem) {
  activate();
  require_grid_fits(problem.grid, sizeof(Real) == sizeof(float) ? Precision::f32 : Precision::f64,
                    static_cast<std::int64_t>(gpu::free_memory()));
  ellipsoid_ = make_ellipsoid(problem.kernel.H, problem.grid).template cast<Real>();
  problem_ = problem;
  located_is_current_ = false;
  return {};
}

template <class Real>
void CudaSession<Real>::locate() {
  if (located_is_current_) return;
  samples_.locate(problem_, make_ellipsoid(problem_.kernel.H, problem_.grid), located_, stream_);
  located_is_current_ = true;
}

template <class Real>
std::unique_ptr<DensityBuffer> CudaSession<Real>::make_buffer() {
  activate();
  return std::make_unique<CudaBuffer<Real>>(problem_.grid, stream_);
}

template <class Real>
CudaBuffer<Real>& CudaSession<Real>::own_buffer(DensityBuffer& buffer) const {
  auto* own = dynamic_cast<CudaBuffer<Real>*>(&buffer);
  if (!own || !(own->grid() == problem_.grid))
    throw std::invalid_argument("the buffer is not of this engine's make_buffer()");
  return *own;
}

template <class Real>
kernels::GridDims CudaSession<Real>::dims() const {
  const auto& d = problem_.grid.dims;
  return {static_cast<std::int32_t>(d[0]), static_cast<std::int32_t>(d[1]),
          static_cast<std::int32_t>(d[2])};
}

template class CudaSession<float>;
template class CudaSession<double>;

}  // namespace skde
