#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "engines/cuda/cuda_engine.hpp"
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_run.hpp"
#include "engines/cuda/cuda_traits.hpp"
#include "gpu/stage_timer.hpp"
#include "kernels/chop_crop.hpp"

namespace skde {
namespace {

/// Most slices of a batch. Their tasks take 384 MiB. A batch is some 30 ms of work, so that
/// progress moves and a run can be cancelled.
constexpr std::int64_t kMostSlices = std::int64_t{1} << 24;
/// The tasks of a batch may take one part in kTaskShare of the free memory.
constexpr std::int64_t kTaskShare = 2;

/// Memory that successive runs reuse.
template <class Real>
struct ChopCropArrays {
  gpu::DeviceBuffer<kernels::LocatedSample<Real>> located;
  gpu::DeviceBuffer<std::int32_t> counts;
  gpu::DeviceBuffer<std::int64_t> offsets;
  gpu::DeviceBuffer<unsigned char> scratch;
  gpu::DeviceBuffer<kernels::SliceTask> tasks;

  static constexpr double kSampleBytes =
      sizeof(kernels::LocatedSample<Real>) + sizeof(std::int32_t) + sizeof(std::int64_t);
};

/// S-KDE as the papers describe it, phase by phase, on CUDA: chop, scan, crop, accumulate.
template <class Real>
class CudaChopCropRun final : public CudaRun<Real> {
 public:
  CudaChopCropRun(const Problem& problem, std::shared_ptr<CudaDevice> device, RunOrders orders,
                  ChopCropArrays<Real>& arrays, std::int64_t work_memory)
      : CudaRun<Real>(problem, std::move(device), std::move(orders)),
        policy_(kernels::accumulate_policy(this->device().multiprocessors)),
        arrays_(arrays),
        work_memory_(work_memory) {}

  std::string launch_policy() const override {
    return fmt::format("{}, {} slices a batch", policy_.describe(), batch_slices_);
  }

 private:
  StageTimes add_samples(const CudaSamples& samples, Progress& progress) override {
    Real* const sums = this->values().accumulated_values();
    progress.throw_if_cancelled();
    gpu::StageTimer timer(this->stream());
    this->locate(samples, arrays_.located);
    timer.mark("locate");
    count_ = samples.count();
    chop(timer);
    const std::int64_t total = offset_of(count_);
    reserve_batch(total);
    progress.begin(kAccumulateStage, static_cast<std::uint64_t>(total), "slices");
    for (std::int64_t first = 0; first < total; first += batch_slices_) {
      progress.throw_if_cancelled();
      const std::int64_t slices = std::min(batch_slices_, total - first);
      run_batch(first, slices, sums, timer);
      this->stream().wait();
      progress.update(static_cast<std::uint64_t>(first + slices));
    }
    return timer.finish();
  }

  /// Counts the slices of all samples, and finds each sample's first slice by a scan.
  void chop(gpu::StageTimer& timer) {
    const cudaStream_t stream = this->stream().get();
    arrays_.counts.reserve(static_cast<std::size_t>(count_) + 1);
    arrays_.offsets.reserve(static_cast<std::size_t>(count_) + 1);
    arrays_.scratch.reserve(kernels::scan_scratch_bytes(count_));
    kernels::chop_samples<Real>(arrays_.located.data(), count_, this->ellipsoid(), this->dims(),
                                arrays_.counts.data(), stream);
    timer.mark("chop");
    kernels::scan_counts(arrays_.counts.data(), arrays_.offsets.data(), count_,
                         arrays_.scratch.data(), arrays_.scratch.size(), stream);
    timer.mark("scan");
  }

  /// Returns the number of slices before sample i.
  std::int64_t offset_of(std::int64_t i) const {
    std::array<std::int64_t, 1> value{};
    arrays_.offsets.download(value, this->stream(), static_cast<std::size_t>(i));
    return value[0];
  }

  void reserve_batch(std::int64_t total) {
    const auto task_bytes = static_cast<std::int64_t>(sizeof(kernels::SliceTask));
    const std::int64_t held = static_cast<std::int64_t>(arrays_.tasks.size());
    const std::int64_t room =
        work_memory_ > 0
            ? work_memory_ / task_bytes
            : held + static_cast<std::int64_t>(gpu::free_memory()) / kTaskShare / task_bytes;
    batch_slices_ = std::max<std::int64_t>(1, std::min({total, kMostSlices, room}));
    arrays_.tasks.reserve(static_cast<std::size_t>(batch_slices_));
  }

  /// Crops and accumulates slices [first, first + slices).
  void run_batch(std::int64_t first, std::int64_t slices, Real* sums, gpu::StageTimer& timer) {
    const cudaStream_t stream = this->stream().get();
    kernels::crop_slices<Real>(arrays_.located.data(), arrays_.offsets.data(), count_, first,
                               slices, this->ellipsoid(), this->dims(), arrays_.tasks.data(),
                               stream);
    timer.mark("crop");
    kernels::accumulate_slices<Real>(arrays_.located.data(), arrays_.tasks.data(), slices,
                                     this->kernel(), this->ellipsoid(), this->dims(), sums, policy_,
                                     stream);
    timer.mark("accumulate");
  }

  kernels::AccumulatePolicy policy_;
  ChopCropArrays<Real>& arrays_;
  std::int64_t work_memory_;
  std::int64_t batch_slices_ = 0, count_ = 0;
};

class CudaChopCropEngine final : public CudaEngine {
 public:
  explicit CudaChopCropEngine(const EngineOptions& options)
      : CudaEngine(kCudaChopCropTraits, options), work_memory_(options.work_memory) {}

  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    if (std::string why = cuda_refusal(problem, cloud); !why.empty())
      return Offer::refused(std::move(why));
    Offer offer = cuda_offer(problem, cloud, kCudaChopCropTraits);
    offer.seconds.run = predicted_seconds(problem, cloud.samples);
    offer.reach = problem.kernel.half_extents();
    offer.device.sample = problem.precision == Precision::f64 ? ChopCropArrays<double>::kSampleBytes
                                                              : ChopCropArrays<float>::kSampleBytes;
    return offer;
  }

  std::optional<StageWork> stage_work(std::string_view stage, const Problem& problem,
                                      const RunWork& work) const override {
    constexpr double kCount = sizeof(std::int32_t), kOffset = sizeof(std::int64_t),
                     kTask = sizeof(kernels::SliceTask);
    const double located = work.samples * located_bytes(problem.precision);
    const double tasks = work.kernels.slices * kTask;
    if (stage == "locate") return StageWork{work.sample_bytes() + located};
    if (stage == "chop") return StageWork{located + work.samples * kCount};
    if (stage == "scan") return StageWork{work.samples * (kCount + kOffset)};
    if (stage == "crop") return StageWork{located + work.samples * kOffset + tasks};
    if (stage != kAccumulateStage) return std::nullopt;
    return StageWork{tasks + located + bytes_of_adding(problem), work.kernels.updates,
                     kAtomicsCeiling};
  }

 private:
  /// Costs of slices, boxes and cells, fitted on an H200.
  static double predicted_seconds(const Problem& problem, std::int64_t samples) {
    constexpr double kStart = 7.7e-5, kSlice = 4.1e-10, kBox = 1.04e-11, kCell = 9.3e-13;
    const double wide = problem.precision == Precision::f32 ? 1 : 2;
    const Grid& grid = problem.grid();
    const Ellipsoid<double> e = problem.kernel.ellipsoid(grid);
    const auto within = [&](double half, std::size_t axis) {
      return std::min(half, static_cast<double>(grid.dims[axis]));
    };
    const double z = within(e.sz, 2);
    return kStart +
           static_cast<double>(samples) *
               (kSlice * z + wide * kBox * within(e.rx, 0) * within(e.ry, 1) * z) +
           wide * kCell * static_cast<double>(grid.cells());
  }

  std::unique_ptr<Run> start(const Problem& problem, RunOrders orders) override {
    if (problem.precision == Precision::f64)
      return std::make_unique<CudaChopCropRun<double>>(problem, device(), std::move(orders),
                                                       doubles_, work_memory_);
    return std::make_unique<CudaChopCropRun<float>>(problem, device(), std::move(orders), floats_,
                                                    work_memory_);
  }

  std::int64_t work_memory_;
  ChopCropArrays<float> floats_;
  ChopCropArrays<double> doubles_;
};

}  // namespace

std::string cuda_unavailable_reason() { return gpu::unavailable_reason(); }
int cuda_device_count() { return gpu::device_count(); }

std::unique_ptr<Engine> make_cuda_chop_crop(const EngineOptions& options) {
  return std::make_unique<CudaChopCropEngine>(options);
}

}  // namespace skde
