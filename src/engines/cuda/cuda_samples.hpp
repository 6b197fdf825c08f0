#pragma once

#include <memory>

#include "core/moments.hpp"
#include "core/points.hpp"
#include "engines/engine.hpp"
#include "gpu/device_buffer.hpp"
#include "gpu/pinned_upload.hpp"
#include "gpu/stream.hpp"
#include "kernels/located_samples.hpp"

namespace skde {

/// The samples of a CUDA engine in device memory: uploaded once, their moments and their places in
/// the grid computed there.
class CudaSamples {
 public:
  /// Makes the samples the loaded ones; uploads them and waits, unless they were prefetched.
  void load(const PointsView& points, const gpu::Stream& stream);
  /// Uploads samples beside the loaded ones, for a load() of the same view to come; may be called
  /// from another thread while the loaded ones are worked on.
  void prefetch(const PointsView& points);
  Moments moments(const gpu::Stream& stream) const;
  std::int64_t count() const { return loaded_.count; }
  double largest_weight() const { return loaded_.largest_weight; }
  kernels::DevicePoints view() const;

  /// The samples in cell units of the problem's grid; enqueued, not waited for.
  template <class Real>
  void locate(const DensityProblem& problem, const Ellipsoid<double>& ellipsoid,
              gpu::DeviceBuffer<kernels::LocatedSample<Real>>& located,
              const gpu::Stream& stream) const;

 private:
  /// Samples in device memory.
  struct Slot {
    gpu::DeviceBuffer<double> xyz, weights;
    std::int64_t count = 0;
    bool weighted = false;
    double largest_weight = 1;
  };
  /// Sizes the slot for the samples and notes all but their values.
  static void reserve(Slot& slot, const PointsView& points);

  Slot loaded_, next_;
  PointsView prefetched_;  ///< what next_ holds; empty where that is nothing
  std::unique_ptr<gpu::PinnedUpload> upload_;
};

}  // namespace skde
