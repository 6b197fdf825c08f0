#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "engines/cpu/host_values.hpp"
#include "engines/cuda/cuda_engine.hpp"
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_samples.hpp"
#include "engines/cuda/cuda_traits.hpp"
#include "gpu/stage_timer.hpp"
#include "kernels/coarse_sort.hpp"
#include "kernels/device_moments.hpp"
#include "kernels/ranges/point_ranges.hpp"

namespace skde {
namespace {

using kernels::RangePolicy;

constexpr double kMostCells = 1 << 24, kCellsASample = 4;

/// Memory that successive runs reuse.
struct RangesMemory {
  gpu::DeviceBuffer<double> points, values, partial;
  gpu::DeviceBuffer<kernels::PointInWorld> targets, samples;
  gpu::DeviceBuffer<std::uint32_t> target_keys[2], target_indices[2], keys[2], indices[2], starts;
  gpu::DeviceBuffer<unsigned char> scratch;
};

/// Returns a lattice whose cells suit the samples that the problem announces.
kernels::BallLattice lattice_of(const Problem& problem, const Box& targets) {
  constexpr Grid kWorld{{}, {1, 1, 1}, {1, 1, 1}};  // one cell is one world unit
  const double cells = std::clamp(kCellsASample * problem.samples, 4096.0, kMostCells);
  return kernels::make_ball_lattice(problem.kernel.ellipsoid(kWorld), targets, cells);
}

/// Returns how far samples may lie from a target that they change a bit for. Warps gather whole
/// cells of the lattice near the box of a group of targets, and add in batches that depend on how
/// many samples these hold.
Vec3 reach_of(const Problem& problem) {
  const Box box = compute_moments({std::get<TargetPoints>(problem.target).xyz()}).bounds();
  constexpr double kDiagonal = 1.7321, kRounding = 1e-6;
  return (1 + kRounding + kDiagonal * (RangePolicy::kNear + lattice_of(problem, box).edge)) *
         problem.kernel.half_extents();
}

/// Sorts keys and indices. Returns which of the two buffers holds the result.
int sort_by_key(gpu::DeviceBuffer<std::uint32_t> (&keys)[2],
                gpu::DeviceBuffer<std::uint32_t> (&indices)[2], std::int64_t count, int bits,
                gpu::DeviceBuffer<unsigned char>& scratch, cudaStream_t on) {
  std::uint32_t* key_sides[2] = {keys[0].data(), keys[1].data()};
  std::uint32_t* index_sides[2] = {indices[0].data(), indices[1].data()};
  std::size_t bytes = 0;
  kernels::sort_keys(key_sides, index_sides, count, bits, nullptr, bytes, on);
  scratch.reserve(bytes);
  bytes = scratch.size();
  return kernels::sort_keys(key_sides, index_sides, count, bits, scratch.data(), bytes, on);
}

/// A run that sums at points.
class CudaRangesRun final : public Run {
 public:
  CudaRangesRun(const Problem& problem, std::shared_ptr<CudaDevice> device, RangesMemory& memory)
      : problem_(problem), device_(std::move(device)), memory_(memory), count_(upload_targets()) {}

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
    sort_targets();
    const kernels::RangeSums work = sort_samples(*own);
    timer.mark("sort");
    sum(work, progress);
    kernels::add_shares(work, memory_.target_indices[target_side_].data(),
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
    if (problem_.precision == Precision::f64) {
      memory_.values.download(values_->values<double>(), device_->stream());
    } else {
      std::vector<double> sums(static_cast<std::size_t>(count_));
      memory_.values.download(sums, device_->stream());
      std::ranges::transform(sums, values_->values<float>().begin(),
                             [](double sum) { return static_cast<float>(sum); });
    }
    return {};
  }
  std::unique_ptr<ValueBuffer> take_values() override { return std::move(values_); }
  std::string launch_policy() const override {
    return fmt::format("{} points a block of {} threads, {} shares", RangePolicy::kTargets,
                       RangePolicy::kBlock, shares_);
  }

 private:
  std::int64_t upload_targets() {
    const auto& points = std::get<TargetPoints>(problem_.target);
    device_->upload(points.xyz(), memory_.points);
    memory_.values.reserve(points.size());
    memory_.values.clear(device_->stream());
    for (int side = 0; side < 2; ++side) {
      memory_.target_keys[side].reserve(points.size());
      memory_.target_indices[side].reserve(points.size());
    }
    memory_.targets.reserve(points.size());
    return static_cast<std::int64_t>(points.size());
  }

  kernels::DevicePoints target_view() const {
    kernels::DevicePoints view;
    view.xyz = memory_.points.data();
    view.count = count_;
    return view;
  }

  Box box_of_targets() const {
    gpu::DeviceBuffer<kernels::ChunkSums> sums(kernels::kMomentChunks);
    kernels::sum_chunks(target_view(), sums.data(), device_->stream().get());
    std::vector<kernels::ChunkSums> chunks(kernels::kMomentChunks);
    sums.download(chunks, device_->stream());
    Moments moments;
    for (const kernels::ChunkSums& chunk : chunks) moments.merge(Moments(kernels::to_sums(chunk)));
    return moments.bounds();
  }

  void sort_targets() {
    lattice_ = lattice_of(problem_, box_of_targets());
    const cudaStream_t on = device_->stream().get();
    kernels::key_by_curve(memory_.points.data(), count_, lattice_, memory_.target_keys[0].data(),
                          memory_.target_indices[0].data(), on);
    target_side_ = sort_by_key(memory_.target_keys, memory_.target_indices, count_,
                               kernels::kMortonBits, memory_.scratch, on);
    kernels::gather_points(target_view(), 1, memory_.target_indices[target_side_].data(),
                           memory_.targets.data(), on);
  }

  kernels::RangeSums sort_samples(const CudaSamples& samples) {
    const cudaStream_t on = device_->stream().get();
    const auto count = static_cast<std::size_t>(samples.count());
    for (int side = 0; side < 2; ++side) {
      memory_.keys[side].reserve(count);
      memory_.indices[side].reserve(count);
    }
    memory_.samples.reserve(count);
    const std::int64_t cells = lattice_.cells();
    memory_.starts.reserve(static_cast<std::size_t>(cells) + 1);
    kernels::key_by_cell(samples.view(), lattice_, memory_.keys[0].data(),
                         memory_.indices[0].data(), on);
    const int side = sort_by_key(memory_.keys, memory_.indices, samples.count(),
                                 kernels::key_bits(cells), memory_.scratch, on);
    kernels::gather_points(samples.view(), 1 / samples.largest_weight(),
                           memory_.indices[side].data(), memory_.samples.data(), on);
    kernels::find_starts(memory_.keys[side].data(), samples.count(), cells, memory_.starts.data(),
                         on);
    shares_ = shares_of(RangePolicy::blocks(count_));
    memory_.partial.reserve(static_cast<std::size_t>(shares_ * count_));
    return {lattice_, memory_.targets.data(), count_, memory_.samples.data(), memory_.starts.data(),
            shares_,  memory_.partial.data()};
  }

  /// Returns the number of shares into which each block's work is split if there are few blocks. It
  /// does not depend on the device, so that the bits are the same everywhere.
  static std::int32_t shares_of(std::int64_t blocks) {
    constexpr std::int64_t kWanted = 2048, kMost = 64;
    return static_cast<std::int32_t>(std::clamp<std::int64_t>(kWanted / blocks, 1, kMost));
  }

  /// Launches one part of the blocks after the other, so that a run can be cancelled.
  void sum(const kernels::RangeSums& work, Progress& progress) {
    constexpr std::int64_t kBlocksALaunch = 8192;
    const std::int64_t blocks = RangePolicy::blocks(count_);
    const cudaStream_t on = device_->stream().get();
    for (std::int64_t first = 0; first < blocks; first += kBlocksALaunch) {
      const std::int64_t size = std::min(kBlocksALaunch, blocks - first);
      if (problem_.precision == Precision::f64)
        kernels::sum_ranges<double>(work, problem_.kernel, first, size, on);
      else
        kernels::sum_ranges<float>(work, problem_.kernel, first, size, on);
      if (first + size < blocks) device_->stream().wait();
      progress.update(
          static_cast<std::uint64_t>(std::min((first + size) * RangePolicy::kTargets, count_)));
      progress.throw_if_cancelled();
    }
  }

  Problem problem_;
  std::shared_ptr<CudaDevice> device_;
  RangesMemory& memory_;
  std::int64_t count_;
  kernels::BallLattice lattice_{};
  int target_side_ = 0;
  std::int32_t shares_ = 1;
  std::unique_ptr<HostValues> values_;
};

class CudaRangesEngine final : public CudaEngine {
 public:
  explicit CudaRangesEngine(const EngineOptions& options) : CudaEngine(options) {}

  const EngineTraits& traits() const override { return kCudaRangesTraits; }

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
    offer.device.fixed += kMostCells * sizeof(std::uint32_t);
    if (points > 0 && !cloud.weighted) offer.reach = reach_of(problem);
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

  std::unique_ptr<Run> start(const Problem& problem,
                             std::unique_ptr<ValueBuffer> /*reuse*/) override {
    if (!memory_) memory_ = std::make_unique<RangesMemory>();
    return std::make_unique<CudaRangesRun>(problem, device(), *memory_);
  }

  std::unique_ptr<RangesMemory> memory_;  // made after the device is started
};

}  // namespace

std::unique_ptr<Engine> make_cuda_ranges(const EngineOptions& options) {
  return std::make_unique<CudaRangesEngine>(options);
}

}  // namespace skde
