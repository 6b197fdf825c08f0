#pragma once

#include <memory>
#include <stdexcept>
#include <utility>

#include "core/kernel/ellipsoid.hpp"
#include "engines/cuda/cuda_device.hpp"
#include "engines/cuda/cuda_samples.hpp"
#include "engines/cuda/cuda_values.hpp"
#include "engines/engine.hpp"
#include "gpu/stage_timer.hpp"
#include "kernels/chop_crop.hpp"
#include "kernels/located_samples.hpp"

namespace skde {

/// A run of a CUDA engine. Derived runs add add_samples() and their launch policy.
template <class Real>
class CudaRun : public Run {
 public:
  StageTimes add(const LoadedSamples& samples, Progress& progress) final {
    const auto* const own = dynamic_cast<const CudaSamples*>(&samples);
    if (!own) throw std::invalid_argument("the samples were not loaded by a CUDA engine");
    if (own->shaped() && !serves_shapes())
      throw std::invalid_argument("the engine needs one kernel shape for all samples");
    device_->start();
    return add_samples(*own, progress);
  }
  std::unique_ptr<ValueBuffer> take_values() final { return std::move(values_); }

 protected:
  CudaRun(const Problem& problem, std::shared_ptr<CudaDevice> device, RunOrders orders)
      : problem_(problem),
        slices_(orders.slices.value_or(SliceRange{0, grid().dims[2]})),
        share_(orders.share.value_or(TileShare{})),
        device_(std::move(device)),
        precise_(problem.kernel.ellipsoid(problem.grid())),
        ellipsoid_(precise_.cast<Real>()) {
    const Grid slab = slab_of(grid(), slices_.first, slices_.count);
    auto* const own = dynamic_cast<CudaValues<Real>*>(orders.reuse.get());
    if (own && own->fits(slab, problem.precision)) {
      static_cast<void>(orders.reuse.release());
      values_.reset(own);
      values_->begin(slab);
    } else {
      orders.reuse.reset();  // before the new ones are allocated: both at once may not fit
      values_ = std::make_unique<CudaValues<Real>>(slab, device_);
    }
  }

  virtual StageTimes add_samples(const CudaSamples& samples, Progress& progress) = 0;
  /// True if samples may have bandwidth factors or shapes of their own.
  virtual bool serves_shapes() const { return false; }

  const Problem& problem() const { return problem_; }
  /// The slices of the grid that the values cover.
  const SliceRange& slices() const { return slices_; }
  bool is_cut() const { return slices_.count < grid().dims[2]; }
  /// The tiles of the grid that are summed.
  const TileShare& share() const { return share_; }
  const Grid& grid() const { return problem_.grid(); }
  const Kernel& kernel() const { return problem_.kernel; }
  KernelFunction function() const { return problem_.kernel.function; }
  const Ellipsoid<double>& precise() const { return precise_; }
  const Ellipsoid<Real>& ellipsoid() const { return ellipsoid_; }
  /// The value that a sample of weight 1 adds at its own place.
  double amplitude() const { return problem_.kernel.amplitude() / problem_.total_weight; }
  kernels::GridDims dims() const {
    const auto& d = grid().dims;
    return {static_cast<std::int32_t>(d[0]), static_cast<std::int32_t>(d[1]),
            static_cast<std::int32_t>(d[2])};
  }
  CudaValues<Real>& values() { return *values_; }
  const gpu::Stream& stream() const { return device_->stream(); }
  const gpu::DeviceInfo& device() const { return device_->info(); }

  /// Ends the stages of added samples. The totals are summed first, so that the host waits once.
  StageTimes end_stages(gpu::StageTimer& timer) {
    values_->totals();
    return timer.finish();
  }

  /// Places the samples in the grid. Enqueues the work and does not wait for it.
  void locate(const CudaSamples& samples,
              gpu::DeviceBuffer<kernels::LocatedSample<Real>>& located) const {
    located.reserve(samples.size());
    kernels::locate_samples<Real>(samples.view(), grid(), precise_, amplitude(), located.data(),
                                  stream().get());
  }

 private:
  Problem problem_;
  SliceRange slices_;
  TileShare share_;
  std::shared_ptr<CudaDevice> device_;
  Ellipsoid<double> precise_;
  Ellipsoid<Real> ellipsoid_;
  std::unique_ptr<CudaValues<Real>> values_;
};

}  // namespace skde
