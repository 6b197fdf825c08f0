#pragma once

#include "engines/cuda/cuda_buffer.hpp"
#include "engines/cuda/cuda_samples.hpp"
#include "engines/engine.hpp"
#include "gpu/device_info.hpp"
#include "gpu/stage_timer.hpp"
#include "gpu/stream.hpp"
#include "kernels/chop_crop.hpp"

namespace skde {

/// What every CUDA engine has: a device, a stream, the samples in device memory and in the prepared
/// problem's grid. The engines differ in what they do with the located samples.
template <class Real>
class CudaSession {
 public:
  explicit CudaSession(const EngineOptions& options);

  StageTimes load(const PointsView& points);
  void prefetch(const PointsView& points);
  /// As Engine::volume_capacity, for an engine that needs so many bytes of its own for a sample and
  /// such a multiple of the volume.
  std::int64_t volume_capacity(std::int64_t samples, std::int64_t sample_bytes,
                               double volumes) const;
  Moments moments();
  StageTimes prepare(const DensityProblem& problem);
  std::unique_ptr<DensityBuffer> make_buffer();
  /// The buffer in device memory; std::invalid_argument where it is of another engine or grid.
  CudaBuffer<Real>& own_buffer(DensityBuffer& buffer) const;

  const gpu::Stream& stream() const { return stream_; }
  const gpu::DeviceInfo& device() const { return device_; }
  const DensityProblem& problem() const { return problem_; }
  const Ellipsoid<Real>& ellipsoid() const { return ellipsoid_; }
  kernels::GridDims dims() const;
  std::int64_t count() const { return samples_.count(); }
  /// The loaded samples in world units.
  kernels::DevicePoints points() const { return samples_.view(); }
  double largest_weight() const { return samples_.largest_weight(); }
  /// Places the loaded samples in the prepared grid unless they are there; enqueued.
  void locate();
  const kernels::LocatedSample<Real>* located() const { return located_.data(); }
  /// Makes the device current for the calling thread.
  void activate() const { gpu::select_device(index_); }

 private:
  int index_;
  std::int64_t memory_limit_;
  gpu::DeviceInfo device_;
  gpu::Stream stream_;
  CudaSamples samples_;
  DensityProblem problem_;
  Ellipsoid<Real> ellipsoid_{};
  gpu::DeviceBuffer<kernels::LocatedSample<Real>> located_;
  bool located_is_current_ = false;
};

}  // namespace skde
