#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "engines/cpu/host_values.hpp"
#include "engines/cuda/cuda_engine.hpp"
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_point_order.hpp"
#include "engines/cuda/cuda_samples.hpp"
#include "engines/cuda/cuda_traits.hpp"
#include "gpu/stage_timer.hpp"
#include "kernels/ranges/point_ranges.hpp"

namespace skde {
namespace {

using kernels::RangePolicy;

/// Memory that is kept from one run to the next.
struct RangesMemory {
  explicit RangesMemory(const std::shared_ptr<CudaDevice>& device) : order(device) {}
  CudaPointOrder order;
  gpu::DeviceBuffer<double> values;
};

/// The kernel's ellipsoid in world units.
Ellipsoid<double> ball_of(const Kernel& kernel) {
  constexpr Grid kWorld{{}, {1, 1, 1}, {1, 1, 1}};  // one cell is one world unit
  return kernel.ellipsoid(kWorld);
}

/// Returns how far samples may lie from a target that they change a bit for. Warps gather whole
/// cells of the lattice near the box of a group of targets, and add in batches that depend on how
/// many samples these hold.
Vec3 reach_of(const Problem& problem) {
  const Box box = compute_moments({std::get<TargetPoints>(problem.target).xyz()}).bounds();
  constexpr double kDiagonal = 1.7321, kRounding = 1e-6;
  const double edge =
      CudaPointOrder::lattice_of(ball_of(problem.kernel), problem.samples, box).edge;
  return (1 + kRounding + kDiagonal * (RangePolicy::kNear + edge)) * problem.kernel.half_extents();
}

/// A run that sums at points.
class CudaRangesRun final : public Run {
 public:
  CudaRangesRun(const Problem& problem, TileShare part, std::shared_ptr<CudaDevice> device,
                RangesMemory& memory)
      : problem_(problem), part_(part), device_(std::move(device)), memory_(memory) {
    const auto& points = std::get<TargetPoints>(problem_.target);
    memory_.order.set_targets(points.xyz());
    count_ = static_cast<std::int64_t>(points.size());
    memory_.values.reserve(points.size());
    memory_.values.clear(device_->stream());
  }

  StageTimes add(const LoadedSamples& samples, Progress& progress) override {
    const auto* const own = dynamic_cast<const CudaSamples*>(&samples);
    if (!own || own->shaped())
      throw std::invalid_argument(
          "the samples were not loaded by a CUDA engine, or have shapes of their own");
    device_->start();
    const auto count = static_cast<std::uint64_t>(count_);
    progress.begin(kAccumulateStage, count, "points");
    progress.throw_if_cancelled();
    if (count_ == 0 || own->count() == 0) return {};
    gpu::StageTimer timer(device_->stream());
    memory_.order.sort_targets(ball_of(problem_.kernel), problem_.samples);
    kernels::RangeSums work = memory_.order.sort_samples(*own);
    work.part = part_;
    shares_ = work.shares;
    timer.mark("sort");
    sum(work, progress);
    kernels::add_shares(work, memory_.order.target_indices(),
                        own->largest_weight() * problem_.kernel.amplitude() / problem_.total_weight,
                        memory_.values.data(), device_->stream().get());
    timer.mark(std::string(kAccumulateStage));
    StageTimes times = timer.finish();
    progress.update(count);
    return times;
  }

  StageTimes finish(Progress& progress) override {
    progress.throw_if_cancelled();
    values_ = std::make_unique<HostValues>(problem_);
    if (count_ == 0) return {};
    const auto bytes = static_cast<std::size_t>(count_) * sizeof(double);
    if (problem_.precision == Precision::f64) {
      device_->download(memory_.values.data(), values_->values<double>().data(), bytes);
      return {};
    }
    const auto sums = std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(count_));
    device_->download(memory_.values.data(), sums.get(), bytes);
    float* const values = values_->values<float>().data();
#pragma omp parallel for simd schedule(static) if (count_ > 1'000'000)
    for (std::int64_t i = 0; i < count_; ++i) values[i] = static_cast<float>(sums[i]);
    return {};
  }
  std::unique_ptr<ValueBuffer> take_values() override { return std::move(values_); }
  std::string launch_policy() const override {
    return fmt::format("{} points a block of {} threads, {} shares", RangePolicy::kTargets,
                       RangePolicy::kBlock, shares_);
  }

 private:
  void sum(const kernels::RangeSums& work, Progress& progress) {
    const cudaStream_t on = device_->stream().get();
    launch_in_parts(work.blocks(), device_->stream(), progress, [&](auto first, auto blocks) {
      if (problem_.precision == Precision::f64)
        kernels::sum_ranges<double>(work, problem_.kernel, first, blocks, on);
      else
        kernels::sum_ranges<float>(work, problem_.kernel, first, blocks, on);
      return std::min(work.first_target(first + blocks), count_);
    });
  }

  Problem problem_;
  TileShare part_;
  std::shared_ptr<CudaDevice> device_;
  RangesMemory& memory_;
  std::int64_t count_ = 0;
  std::int32_t shares_ = 1;
  std::unique_ptr<HostValues> values_;
};

class CudaRangesEngine final : public CudaEngine {
 public:
  explicit CudaRangesEngine(const EngineOptions& options)
      : CudaEngine(kCudaRangesTraits, options) {}

  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    if (problem.has_grid()) return Offer::refused("it computes points only, not grids");
    if (problem.kernel.function->is_steep)
      return Offer::refused(
          "its differences of squares are not accurate at the centre of this kernel");
    if (cloud.shaped) return Offer::refused("it needs one kernel shape for all samples");
    if (static_cast<double>(target_size(problem.target)) > kMostPoints)
      return Offer::refused("it computes at most 2e9 points at a time");
    constexpr double kStart = 3e-4, kPoint = 1e-9, kSample = 5e-10, kPair = 1e-12, kReached = 0.01;
    const auto points = static_cast<double>(target_size(problem.target)),
               samples = static_cast<double>(cloud.samples);
    Offer offer = cuda_offer(problem, cloud, kCudaRangesTraits);
    const double wide = problem.precision == Precision::f64 ? 4 : 1;
    offer.seconds.run =
        kStart + kPoint * points + kSample * samples + wide * kPair * kReached * points * samples;
    constexpr double kSorted = 4 * sizeof(std::uint32_t) + sizeof(kernels::PointInWorld);
    offer.device.fixed += CudaPointOrder::kMostCells * sizeof(std::uint32_t);
    if (points > 0 && !cloud.weighted) offer.reach = reach_of(problem);
    offer.shares_tiles = true;
    offer.device.sample = kSorted;
    offer.device.value = kSorted + 5 * sizeof(double);  // for places, values and a share
    return offer;
  }

  std::optional<StageWork> stage_work(std::string_view /*stage*/, const Problem& /*problem*/,
                                      const RunWork& /*work*/) const override {
    return std::nullopt;
  }

 private:
  static constexpr double kMostPoints = 2e9;

  std::unique_ptr<Run> start(const Problem& problem, RunOrders orders) override {
    if (!memory_) memory_ = std::make_unique<RangesMemory>(device());
    return std::make_unique<CudaRangesRun>(problem, orders.share.value_or(TileShare{}), device(),
                                           *memory_);
  }

  std::unique_ptr<RangesMemory> memory_;  // made after the device is started
};

}  // namespace

std::unique_ptr<Engine> make_cuda_ranges(const EngineOptions& options) {
  return std::make_unique<CudaRangesEngine>(options);
}

}  // namespace skde
