#pragma once

#include "core/moments.hpp"
#include "core/points.hpp"
#include "engines/engine.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/stream.hpp"
#include "kernels/located_samples.hpp"

namespace skde {

/// The samples of a CUDA engine in device memory: uploaded once, their moments and their places in
/// the grid computed there.
class CudaSamples {
 public:
  /// Uploads the samples and waits until they are there.
  void load(const PointsView& points, const gpu::Stream& stream);
  Moments moments(const gpu::Stream& stream) const;
  std::int64_t count() const { return count_; }
  double largest_weight() const { return largest_weight_; }
  kernels::DevicePoints view() const;

  /// The samples in cell units of the problem's grid; enqueued, not waited for.
  template <class Real>
  void locate(const DensityProblem& problem, const Ellipsoid<double>& ellipsoid,
              gpu::DeviceBuffer<kernels::LocatedSample<Real>>& located,
              const gpu::Stream& stream) const;

 private:
  gpu::DeviceBuffer<double> xyz_, weights_;
  std::int64_t count_ = 0;
  bool weighted_ = false;
  double largest_weight_ = 1;
};

}  // namespace skde
