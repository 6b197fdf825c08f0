#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/error.hpp"
#include "engines/cuda/cuda_engine.hpp"
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_traits.hpp"
#include "kernels/chop_crop.hpp"

namespace skde {
namespace {

/// Slices of one batch at the most: their tasks take 384 MiB, and a batch is some 30 ms of work, so
/// that progress moves and a run can be cancelled.
constexpr std::int64_t kMostSlices = std::int64_t{1} << 24;
/// Of the memory that is free, the part that the tasks of a batch may take.
constexpr std::int64_t kTaskShare = 2;

/// S-KDE as the papers describe it, phase by phase, on CUDA: chop, scan, crop, accumulate.
template <class Real>
class CudaChopCropEngine final : public CudaEngine<Real> {
 public:
  explicit CudaChopCropEngine(const EngineOptions& options)
      : CudaEngine<Real>(options, 1),
        policy_(kernels::accumulate_policy(session_.device().multiprocessors)),
        work_memory_(options.work_memory) {}

  const EngineTraits& traits() const override { return kCudaChopCropTraits; }
  std::string launch_policy() const override {
    return fmt::format("{}, {} slices a batch", policy_.describe(), batch_slices_);
  }

  StageTimes run(DensityBuffer& buffer, Progress& progress) override {
    session_.activate();
    Real* const values = session_.own_buffer(buffer).accumulated_values();
    progress.throw_if_cancelled();
    gpu::StageTimer timer(session_.stream());
    session_.locate();
    timer.mark("locate");
    chop(timer);
    const std::int64_t total = offset_of(session_.count());
    reserve_batch(total);
    progress.begin(kAccumulateStage, static_cast<std::uint64_t>(total), "slices");
    for (std::int64_t first = 0; first < total; first += batch_slices_) {
      progress.throw_if_cancelled();
      const std::int64_t slices = std::min(batch_slices_, total - first);
      run_batch(first, slices, values, timer);
      session_.stream().wait();
      progress.update(static_cast<std::uint64_t>(first + slices));
    }
    return timer.finish();
  }

 private:
  using CudaEngine<Real>::session_;

  /// Slice counts of all samples, and by a scan the first slice of each.
  void chop(gpu::StageTimer& timer) {
    const std::int64_t count = session_.count();
    counts_.reserve(static_cast<std::size_t>(count) + 1);
    offsets_.reserve(static_cast<std::size_t>(count) + 1);
    scratch_.reserve(kernels::scan_scratch_bytes(count));
    kernels::chop_samples<Real>(session_.located(), count, session_.ellipsoid(), session_.dims(),
                                counts_.data(), session_.stream().get());
    timer.mark("chop");
    kernels::scan_counts(counts_.data(), offsets_.data(), count, scratch_.data(), scratch_.size(),
                         session_.stream().get());
    timer.mark("scan");
  }

  /// Slices before sample i.
  std::int64_t offset_of(std::int64_t i) const {
    std::array<std::int64_t, 1> value{};
    offsets_.download(value, session_.stream(), static_cast<std::size_t>(i));
    return value[0];
  }

  void reserve_batch(std::int64_t total) {
    const auto task_bytes = static_cast<std::int64_t>(sizeof(kernels::SliceTask));
    const std::int64_t held = static_cast<std::int64_t>(tasks_.size());
    const std::int64_t room =
        work_memory_ > 0
            ? work_memory_ / task_bytes
            : held + static_cast<std::int64_t>(gpu::free_memory()) / kTaskShare / task_bytes;
    batch_slices_ = std::max<std::int64_t>(1, std::min({total, kMostSlices, room}));
    tasks_.reserve(static_cast<std::size_t>(batch_slices_));
  }

  /// Crop and accumulate of slices [first, first + slices).
  void run_batch(std::int64_t first, std::int64_t slices, Real* values, gpu::StageTimer& timer) {
    const cudaStream_t stream = session_.stream().get();
    kernels::crop_slices<Real>(session_.located(), offsets_.data(), session_.count(), first, slices,
                               session_.ellipsoid(), session_.dims(), tasks_.data(), stream);
    timer.mark("crop");
    kernels::accumulate_slices<Real>(session_.located(), tasks_.data(), slices,
                                     session_.problem().kernel.function, session_.ellipsoid(),
                                     session_.dims(), values, policy_, stream);
    timer.mark("accumulate");
  }

  kernels::AccumulatePolicy policy_;
  std::int64_t work_memory_;
  std::int64_t batch_slices_ = 0;
  gpu::DeviceBuffer<std::int32_t> counts_;
  gpu::DeviceBuffer<std::int64_t> offsets_;
  gpu::DeviceBuffer<unsigned char> scratch_;
  gpu::DeviceBuffer<kernels::SliceTask> tasks_;
};

}  // namespace

std::string cuda_unavailable_reason() { return gpu::unavailable_reason(); }

std::unique_ptr<Engine> make_cuda_chop_crop(const EngineOptions& options) {
  if (options.precision == Precision::f64)
    return std::make_unique<CudaChopCropEngine<double>>(options);
  return std::make_unique<CudaChopCropEngine<float>>(options);
}

}  // namespace skde
