#include <algorithm>
#include <cmath>

#include "core/kernel/cell_nodes.hpp"
#include "engines/cuda/cuda_cell_sort.hpp"
#include "engines/cuda/cuda_engine.hpp"
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_run.hpp"
#include "engines/cuda/cuda_traits.hpp"
#include "gpu/stage_timer.hpp"
#include "kernels/tile/warp_tile_sums.hpp"

namespace skde {
namespace {

/// Memory that successive runs reuse.
struct TileMemory {
  CudaCellSort order;
  gpu::DeviceBuffer<std::uint32_t> candidates, done, kept{1};
  gpu::DeviceBuffer<std::int32_t> reach{3 * std::size_t{kernels::kMostReachClasses}};
  gpu::DeviceBuffer<kernels::WeightedFixedSample> fixed;
  gpu::DeviceBuffer<kernels::PreciseSample> precise;
  gpu::DeviceBuffer<kernels::EllipsoidFactors<float>> factors;
  gpu::DeviceBuffer<kernels::EllipsoidFactors<double>> wide_factors;
  gpu::DeviceBuffer<kernels::TileItem> items;
  gpu::DeviceBuffer<kernels::TileCounters> counters{1};
  gpu::DeviceBuffer<unsigned char> shared{std::size_t{kernels::kSharedSums}};
};

/// Seconds that the sums of tiles take on an H200: per cell of the tiles that a kernel meets, per
/// tile that looks at a sample, and per sample.
struct TileCosts {
  double cell, visit, sample;
};

TileCosts costs_of(KernelFunction function, bool wide, bool shaped) {
  TileCosts costs{2e-13, 3e-12, 1.5e-10};
  if (wide) costs = {5.6e-13, 6e-12, 2e-10};
  if (shaped) costs = {1.3 * costs.cell, (wide ? 1 : 8) * costs.visit, 2 * costs.sample};
  constexpr double kPower = 0.2, kGaussian = 1.15, kOther = 1.55;  // kPower per degree above 1
  costs.cell *= function->degree ? 1 + kPower * std::max(0, *function->degree - 1)
                : function == KernelFunction::gaussian ? kGaussian
                                                       : kOther;
  return costs;
}

bool takes_means(const Problem& problem) { return problem.cells == CellValue::mean; }

double seconds_of_sums(const Problem& problem, bool shaped, bool wide, double samples) {
  const kernels::WarpTileWork work =
      kernels::warp_tile_work(problem.kernel.ellipsoid(problem.grid()), problem.grid(),
                              kernels::tile_block(shaped, wide, takes_means(problem)));
  const TileCosts costs = costs_of(problem.kernel.function, wide, shaped);
  const double nodes =
      takes_means(problem)
          ? cell_mean_work(problem.kernel, problem.kernel.ellipsoid(problem.grid()))
          : 1;
  return samples * (costs.cell * nodes * work.cells + costs.visit * work.visits);
}

constexpr std::int64_t kMostBlocks = std::int64_t{1} << 25;  // of a window

/// Returns how many layers of tiles are summed at once. Windows decide how a crowded tile is
/// shared, so they are the same on every run and however the run is cut: a cut may lie in one.
std::int64_t window_layers(const kernels::WarpTilePlan& plan, double seconds) {
  constexpr double kSecondsAtOnce = 0.05;
  const auto windows = static_cast<std::int64_t>(
      std::clamp(std::ceil(seconds / kSecondsAtOnce), 1.0, static_cast<double>(plan.blocks[2])));
  return std::max<std::int64_t>(1, std::min(plan.blocks[2] / windows, kMostBlocks / plan.layer()));
}

bool sums_in_double(const Problem& problem, bool shaped) {
  return problem.precision == Precision::f64 ||
         kernels::needs_wide_tiles(problem.kernel, problem.grid(), shaped, problem.min_width);
}

/// Returns whether it saves time to sum so many kernels in float and the slim ones apart. Cells
/// take less time then, but all samples are read twice.
bool pays_apart(const Problem& problem, double samples, double in_float) {
  constexpr double kTwice = 4e-4, kSample = 3.5e-10;
  const double saved =
      seconds_of_sums(problem, true, true, 1) - seconds_of_sums(problem, true, false, 1);
  return in_float * saved > kTwice + kSample * samples;
}

/// Not for means over cells: their nodes take digits that float may not have.
bool tells_apart(const Problem& problem, bool shaped, double samples) {
  return shaped && problem.precision == Precision::f32 && !takes_means(problem) &&
         sums_in_double(problem, shaped) && pays_apart(problem, samples, samples);
}

/// A run over the tiles of the volume. A warp sums each tile.
template <class Real>
class CudaTileRun final : public CudaRun<Real> {
 public:
  CudaTileRun(const Problem& problem, std::shared_ptr<CudaDevice> device, RunOrders orders,
              TileMemory& memory)
      : CudaRun<Real>(problem, std::move(device), std::move(orders)),
        shapes_(problem.kernel, problem.grid(), problem.min_width),
        memory_(memory) {}

  std::string launch_policy() const override { return plan_.describe(); }

 private:
  bool serves_shapes() const override { return true; }

  StageTimes add_samples(const CudaSamples& samples, Progress& progress) override {
    progress.throw_if_cancelled();
    if (samples.count() == 0) return {};
    if (samples.shaped() && this->is_cut())
      throw std::invalid_argument("ranges of samples with shapes of their own cannot be selected");
    const bool wide = sums_in_double(this->problem(), samples.shaped());
    bool apart =
        tells_apart(this->problem(), samples.shaped(), static_cast<double>(samples.count()));
    gpu::StageTimer timer(this->stream());
    if (apart) apart = add_kernels(samples, false, true, timer, progress);
    add_kernels(samples, wide, apart, timer, progress);
    return this->end_stages(timer);
  }

  /// Adds all samples or, if kernels are told apart, those that take sums of this precision.
  /// Returns false if they are not worth it, or none.
  bool add_kernels(const CudaSamples& samples, bool wide, bool apart, gpu::StageTimer& timer,
                   Progress& progress) {
    plan_ = kernels::make_warp_tile_plan(this->precise(), this->grid(), samples.shaped(), wide,
                                         takes_means(this->problem()));
    plan_.apart = apart;
    if (!samples.shaped() && samples.view().weights == nullptr)
      plan_.height = shapes_.common().amplitude / this->problem().total_weight;
    kernels::WarpTileArrays arrays = reserve(samples.size());
    if (!sort_samples(samples.view(), arrays)) return false;
    timer.mark("sort");
    Real* const sums = this->values().accumulated_values();
    arrays.first_slice = static_cast<std::int32_t>(this->slices().first);
    arrays.end_slice = static_cast<std::int32_t>(this->slices().end());
    arrays.share = this->share();
    if constexpr (std::is_same_v<Real, float>)
      arrays.floats = sums;
    else
      arrays.doubles = sums;
    add_tiles(arrays, timer, progress);
    return true;
  }

  /// Works window by window, so that a long run reports progress and can be cancelled.
  void add_tiles(const kernels::WarpTileArrays& arrays, gpu::StageTimer& timer,
                 Progress& progress) {
    const cudaStream_t on = this->stream().get();
    const std::int64_t depth = window_layers(plan_, seconds_of(arrays));
    const std::int64_t first = this->slices().first / kernels::kWarpTileZ / depth * depth,
                       end = (this->slices().end() - 1) / kernels::kWarpTileZ + 1;
    progress.begin(kAccumulateStage, static_cast<std::uint64_t>(end - first), "layers");
    for (std::int64_t z = first; z < end; z += depth) {
      progress.throw_if_cancelled();
      const std::int64_t deep = std::min(depth, plan_.blocks[2] - z);
      const kernels::TileWindow window{z * plan_.layer(), deep * plan_.layer()};
      kernels::list_tile_items(plan_, arrays, window, on);
      timer.mark("tiles");
      kernels::sum_tiles(plan_, this->kernel(), arrays, window, this->device().multiprocessors, on);
      timer.mark("accumulate");
      if (depth < end - first) this->stream().wait();
      progress.update(static_cast<std::uint64_t>(std::min(z + deep, end) - first));
    }
  }

  /// Predicts the seconds of the sums of all slices, for all samples that the problem announces, so
  /// that cuts are known beforehand. Kernels of the samples' own may be of any size, so their
  /// candidates are counted.
  double seconds_of(const kernels::WarpTileArrays& arrays) {
    constexpr double kCandidate = 4e-11, kWideCandidate = 1.6e-10;
    if (!plan_.shaped)
      return seconds_of_sums(this->problem(), false, plan_.wide, this->problem().samples);
    const std::int64_t counted = std::min(plan_.block_count(), kMostBlocks);
    kernels::list_tile_items(plan_, arrays, {0, counted}, this->stream().get());
    kernels::TileCounters counters{};
    memory_.counters.download({&counters, 1}, this->stream());
    return (plan_.wide ? kWideCandidate : kCandidate) * static_cast<double>(counters.candidates) *
           static_cast<double>(plan_.block_count()) / static_cast<double>(counted);
  }

  kernels::WarpTileArrays reserve(std::size_t count) {
    memory_.order.reserve(count);
    const auto blocks = static_cast<std::size_t>(plan_.block_count());
    memory_.candidates.reserve(blocks);
    memory_.done.reserve(blocks);
    memory_.items.reserve(blocks + static_cast<std::size_t>(plan_.shared_items()));
    kernels::WarpTileArrays arrays;
    kernels::WarpTileSamples& sorted = arrays.samples;
    if (!plan_.wide && !plan_.shaped)
      sorted.fixed = reserved(memory_.fixed, count);
    else
      sorted.precise = reserved(memory_.precise, count);
    if (plan_.shaped && plan_.wide) sorted.wide_factors = reserved(memory_.wide_factors, count);
    if (plan_.shaped && !plan_.wide) sorted.factors = reserved(memory_.factors, count);
    arrays.reach = memory_.reach.data();
    arrays.candidates = memory_.candidates.data();
    arrays.done = memory_.done.data();
    arrays.items = memory_.items.data();
    arrays.counters = memory_.counters.data();
    arrays.shared = memory_.shared.data();
    return arrays;
  }

  template <class T>
  static T* reserved(gpu::DeviceBuffer<T>& buffer, std::size_t count) {
    buffer.reserve(count);
    return buffer.data();
  }

  /// Returns false if kernels are told apart and those of this precision are not worth a pass.
  bool sort_samples(const kernels::DevicePoints& points, kernels::WarpTileArrays& arrays) {
    const cudaStream_t on = this->stream().get();
    const Grid& grid = this->grid();
    CudaCellSort& order = memory_.order;
    kernels::key_samples(points, grid, shapes_, plan_, order.keys(), order.indices(),
                         memory_.reach.data(), memory_.kept.data(), on);
    if (plan_.apart && !pays(points.count)) return false;
    order.sort_into_cells(points.count, plan_.keys(), on);
    arrays.starts = order.starts();
    kernels::gather_sorted(points, grid, shapes_, plan_, 1 / this->problem().total_weight,
                           order.sorted_indices(), arrays.samples, on);
    return true;
  }

  bool pays(std::int64_t samples) {
    std::uint32_t kept = 0;
    memory_.kept.download({&kept, 1}, this->stream());
    return plan_.wide ? kept > 0 : pays_apart(this->problem(), static_cast<double>(samples), kept);
  }

  SampleShapes shapes_;
  TileMemory& memory_;
  kernels::WarpTilePlan plan_{};
};

/// The engine for every profile, weight and precision, and for shapes per sample.
class CudaTileEngine final : public CudaEngine {
 public:
  explicit CudaTileEngine(const EngineOptions& options) : CudaEngine(kCudaTileTraits, options) {}

  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    if (!problem.has_grid()) return Offer::refused("it computes grids only, not points");
    const Ellipsoid<double> e = problem.kernel.ellipsoid(problem.grid());
    if (takes_means(problem))
      if (auto why = cell_mean_refusal(problem.kernel, e, cloud.shaped); !why.empty())
        return Offer::refused(std::move(why));
    constexpr double kSorted = 4 * sizeof(std::uint32_t);  // two buffers each of keys and indices
    const bool wide = sums_in_double(problem, cloud.shaped);
    const kernels::WarpTilePlan plan =
        kernels::make_warp_tile_plan(e, problem.grid(), cloud.shaped, wide, takes_means(problem));
    Offer offer = cuda_offer(problem, cloud, kCudaTileTraits);
    if (wide)
      offer.error = std::max(kCudaTileTraits.error_in(problem.precision),
                             slant_error(Precision::f64, problem.kernel.slant())) +
                    problem.kernel.cut_error();
    if (takes_means(problem)) offer.error += cell_mean_error(problem.kernel, e, cloud.shaped);
    offer.seconds.run = predicted_seconds(
        problem, cloud,
        wide && !tells_apart(problem, cloud.shaped, static_cast<double>(cloud.samples)));
    offer.shares_tiles = true;
    if (!cloud.shaped) offer.reach = problem.kernel.half_extents();
    if (!cloud.shaped) offer.cut_step = kernels::kWarpTileZ;
    offer.device.sample = kSorted + sample_bytes(cloud.shaped, wide);
    offer.device.fixed += sizeof(std::uint32_t) * static_cast<double>(plan.keys()) +
                          (2 * sizeof(std::uint32_t) + sizeof(kernels::TileItem)) *
                              static_cast<double>(plan.block_count()) +
                          sizeof(kernels::TileItem) * static_cast<double>(plan.shared_items()) +
                          kernels::kSharedSums;
    return offer;
  }

  std::optional<StageWork> stage_work(std::string_view stage, const Problem& problem,
                                      const RunWork& work) const override {
    constexpr double kPair = 2 * sizeof(std::uint32_t), kPasses = 3;
    const double sorted = sample_bytes(false, sums_in_double(problem, false));
    if (stage == "sort")
      return StageWork{2 * work.sample_bytes() +
                       work.samples * ((2 * kPasses + 2) * kPair + sorted)};
    if (stage != kAccumulateStage) return std::nullopt;
    return StageWork{work.samples * sorted + bytes_of_adding(problem),
                     kFmaOfCell * work.kernels.updates, kFmaCeiling};
  }

 private:
  static double sample_bytes(bool shaped, bool wide) {
    if (!shaped)
      return wide ? sizeof(kernels::PreciseSample) : sizeof(kernels::WeightedFixedSample);
    return sizeof(kernels::PreciseSample) + sizeof(kernels::EllipsoidFactors<float>) +
           (wide ? sizeof(kernels::EllipsoidFactors<double>) : 0);
  }

  /// Costs of samples, of the cells of the tiles that their kernels meet, of candidates and of the
  /// volume.
  static double predicted_seconds(const Problem& problem, const CloudFacts& cloud, bool wide) {
    constexpr double kStart = 1.75e-4, kCell = 4e-12;
    const auto samples = static_cast<double>(cloud.samples);
    return kStart + samples * costs_of(problem.kernel.function, wide, cloud.shaped).sample +
           seconds_of_sums(problem, cloud.shaped, wide, samples) +
           kCell * static_cast<double>(problem.grid().cells());
  }

  std::unique_ptr<Run> start(const Problem& problem, RunOrders orders) override {
    if (!memory_) memory_ = std::make_unique<TileMemory>();
    if (problem.precision == Precision::f64)
      return std::make_unique<CudaTileRun<double>>(problem, device(), std::move(orders), *memory_);
    return std::make_unique<CudaTileRun<float>>(problem, device(), std::move(orders), *memory_);
  }

  std::unique_ptr<TileMemory> memory_;  // made after the device is started
};

}  // namespace

std::unique_ptr<Engine> make_cuda_tile(const EngineOptions& options) {
  return std::make_unique<CudaTileEngine>(options);
}

}  // namespace skde
