#include "engines/cuda_session.hpp"

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
    : index_(options.device), device_(open_device(options.device)) {}

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
