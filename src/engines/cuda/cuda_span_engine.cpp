#include <algorithm>
#include <cmath>
#include <numbers>

#include "engines/cuda/cuda_cell_sort.hpp"
#include "engines/cuda/cuda_engine.hpp"
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_run.hpp"
#include "engines/cuda/cuda_traits.hpp"
#include "gpu/stage_timer.hpp"
#include "kernels/span/coarse_sort.hpp"
#include "kernels/span/row_spans.hpp"

namespace skde {
namespace {

/// Memory that successive runs reuse.
struct SpanMemory {
  CudaCellSort order;
  gpu::DeviceBuffer<std::uint32_t> tile_candidates, tile_done, counters{2};
  gpu::DeviceBuffer<std::uint64_t> weight_sums;
  gpu::DeviceBuffer<kernels::FixedSample> fixed;
  gpu::DeviceBuffer<kernels::PreciseSample> precise;
  gpu::DeviceBuffer<kernels::TileScale> tile_scales;
  gpu::DeviceBuffer<kernels::SpanItem> items;
  gpu::DeviceBuffer<unsigned char> scratch;
  gpu::DeviceBuffer<float> addend;
  gpu::DeviceBuffer<int> second;
};

/// Adds row spans as difference arrays, in the tiles of the volume.
class CudaSpanRun final : public CudaRun<float> {
 public:
  CudaSpanRun(const Problem& problem, std::shared_ptr<CudaDevice> device, RunOrders orders,
              SpanMemory& memory)
      : CudaRun(problem, std::move(device), std::move(orders)), memory_(memory) {}

  std::string launch_policy() const override { return plan_.describe(); }

 private:
  StageTimes add_samples(const CudaSamples& samples, Progress& progress) override {
    progress.throw_if_cancelled();
    if (samples.count() == 0) return {};
    const bool adds = !values().is_cleared();
    float* const sums = adds ? values().accumulated_values() : values().overwritten_values();
    plan_run(samples);
    const std::int32_t first = kernels::tile_layers(slices().first),
                       end = kernels::tile_layers(slices().end());
    const std::int32_t depth = std::min(window_layers(samples, adds), end - first);
    reserve_window(samples, depth, adds);
    gpu::StageTimer timer(stream());
    progress.begin(kAccumulateStage, static_cast<std::uint64_t>(end - first), "layers");
    sort_samples(samples.view());
    timer.mark("sort");
    for (std::int32_t layer = first; layer < end; layer += depth) {
      progress.throw_if_cancelled();
      add_window(samples, {layer, std::min(depth, end - layer)}, sums, adds, timer);
      if (depth < end - first) stream().wait();
      progress.update(static_cast<std::uint64_t>(std::min(layer + depth, end) - first));
    }
    return end_stages(timer);
  }

  /// Returns how many layers of tiles are computed at once: few enough that a long run reports
  /// progress and can be cancelled. If a second volume is added to the first, a quarter at most.
  std::int32_t window_layers(const CudaSamples& samples, bool adds) const {
    constexpr double kRowsAtOnce = 5e9;  // rows of kernels; about 20 ms on an H200
    constexpr double kWideCost = 20;     // cost of a row in 64-bit words, relative to 32-bit
    const Ellipsoid<double>& e = precise();
    const double rows = static_cast<double>(samples.count()) * std::numbers::pi * (e.sy + 2) *
                        (e.sz + 2) * (plan_.wide_words ? kWideCost : 1.0);
    const double windows = std::max(adds ? 4.0 : 1.0, std::ceil(rows / kRowsAtOnce));
    return std::max(1, static_cast<std::int32_t>(plan_.tiles[2] / windows));
  }

  /// Computes the window's slices. `sums` holds all slices of the run.
  void add_window(const CudaSamples& samples, kernels::SpanWindow window, float* sums, bool adds,
                  gpu::StageTimer& timer) {
    const std::int64_t slice = grid().dims[0] * grid().dims[1];
    const std::int64_t z = window.first_slice();
    const std::int64_t deep = std::min<std::int64_t>(
        std::int64_t{window.layers} * kernels::kTileRowsZ, slices().end() - z);
    float* const begin = sums + (z - slices().first) * slice;
    write_spans(samples, window, adds ? memory_.addend.data() : begin, timer);
    if (!adds) return;
    kernels::add_volume(memory_.addend.data(), begin, deep * slice, stream().get());
    timer.mark("add");
  }

  /// Plans for the whole grid, and for all samples that the problem announces, so that the bits are
  /// the same whichever slices are computed and samples out of reach are left out.
  void plan_run(const CudaSamples& samples) {
    const double weight = samples.largest_weight();
    const std::int64_t announced =
        std::max(samples.count(), static_cast<std::int64_t>(problem().samples));
    plan_ = kernels::make_span_plan(precise(), grid(), function(), amplitude() * weight,
                                    {announced, samples.weighted(), weight}, device());
    const std::size_t count = samples.size();
    memory_.order.reserve(count);
    if (plan_.wide_words)
      memory_.precise.reserve(count);
    else
      memory_.fixed.reserve(count);
  }

  void reserve_window(const CudaSamples& samples, std::int32_t layers, bool adds) {
    const auto tiles = static_cast<std::size_t>(plan_.layer() * layers);
    memory_.tile_candidates.reserve(tiles);
    memory_.tile_scales.reserve(tiles);
    memory_.tile_done.reserve(tiles);
    memory_.items.reserve(
        static_cast<std::size_t>(kernels::most_items(plan_, samples.count(), layers)));
    const auto cells = static_cast<std::size_t>(
        std::min(std::int64_t{layers} * kernels::kTileRowsZ, slices().count) * grid().dims[0] *
        grid().dims[1]);
    if (adds) memory_.addend.reserve(cells);
    if (plan_.planes == 2) memory_.second.reserve(cells);
  }

  /// Writes the density of the samples to every cell of the window.
  void write_spans(const CudaSamples& samples, kernels::SpanWindow window, float* sums,
                   gpu::StageTimer& timer) {
    const kernels::SpanArrays arrays = arrays_for(samples, sums);
    kernels::list_items(plan_, arrays, window, stream().get());
    timer.mark("tiles");
    kernels::accumulate_spans(plan_, function(), arrays, window, device().multiprocessors,
                              stream().get());
    timer.mark("accumulate");
  }

  void sort_samples(const kernels::DevicePoints& points) {
    const cudaStream_t on = stream().get();
    CudaCellSort& order = memory_.order;
    kernels::key_samples(points, grid(), plan_, order.keys(), order.indices(), on);
    order.sort_into_cells(points.count, plan_.coarse.count(), on);
    if (plan_.wide_words)
      gather(points, memory_.precise.data());
    else
      gather(points, memory_.fixed.data());
  }

  template <class Sample>
  void gather(const kernels::DevicePoints& points, Sample* sorted) {
    const cudaStream_t on = stream().get();
    kernels::gather_sorted(points, grid(), plan_, memory_.order.sorted_indices(), sorted, on);
    if (!points.weights) return;
    memory_.weight_sums.reserve(static_cast<std::size_t>(points.count));
    std::size_t bytes = 0;
    kernels::sum_weights(sorted, points.count, memory_.weight_sums.data(), nullptr, bytes, on);
    memory_.scratch.reserve(bytes);
    bytes = memory_.scratch.size();
    kernels::sum_weights(sorted, points.count, memory_.weight_sums.data(), memory_.scratch.data(),
                         bytes, on);
  }

  kernels::SpanArrays arrays_for(const CudaSamples& samples, float* sums) {
    return {.fixed = memory_.fixed.data(),
            .precise = memory_.precise.data(),
            .weight_sums = samples.weighted() ? memory_.weight_sums.data() : nullptr,
            .starts = memory_.order.starts(),
            .items = memory_.items.data(),
            .tile_candidates = memory_.tile_candidates.data(),
            .tile_scales = memory_.tile_scales.data(),
            .tile_done = memory_.tile_done.data(),
            .counters = memory_.counters.data(),
            .volume = sums,
            .second = plan_.planes == 2 ? memory_.second.data() : nullptr,
            .share = share()};
  }

  SpanMemory& memory_;
  kernels::SpanPlan plan_{};
};

/// The fast exact engine for polynomial kernels on grids.
class CudaSpanEngine final : public CudaEngine {
 public:
  explicit CudaSpanEngine(const EngineOptions& options) : CudaEngine(kCudaSpanTraits, options) {}

  Offer offer(const Problem& problem, const CloudFacts& cloud) const override {
    if (std::string why = refusal(problem, cloud); !why.empty())
      return Offer::refused(std::move(why));
    constexpr double kSorted = 4 * sizeof(std::uint32_t);     // two buffers each of keys and
                                                              // indices
    constexpr double kItems = 2 * sizeof(kernels::SpanItem);  // allowance for work items, per
                                                              // sample
    constexpr double kAddend = 1.25;  // a quarter of the volume is added at a time if there are
                                      // parts
    const Ellipsoid<double> e = problem.kernel.ellipsoid(problem.grid());
    const bool wide = kernels::needs_wide_words(e, problem.kernel.function);
    Offer offer = cuda_offer(problem, cloud, kCudaSpanTraits);
    if (wide)  // positions are doubles then
      offer.error = std::max(kCudaSpanTraits.error_in(Precision::f32, cloud.samples),
                             slant_error(Precision::f64, problem.kernel.slant()));
    offer.seconds.run = predicted_seconds(e, problem.grid(), problem.kernel.function, wide, cloud);
    offer.cut_step = kernels::kTileRowsZ;
    offer.shares_tiles = true;
    if (!cloud.weighted) offer.reach = reach_of(e, problem);
    offer.device.sample =
        kSorted + kItems + (wide ? sizeof(kernels::PreciseSample) : sizeof(kernels::FixedSample));
    offer.device.value *= kAddend;
    if (cloud.weighted) {
      offer.device.sample += sizeof(std::uint64_t);  // sums of weights
      if (!wide) offer.device.value += sizeof(int);
    }
    return offer;
  }

  std::optional<StageWork> stage_work(std::string_view stage, const Problem& problem,
                                      const RunWork& work) const override {
    constexpr double kPair = 2 * sizeof(std::uint32_t),
                     kPasses = 3;  // keys of 24 bits, 8 bits per pass
    constexpr double kSorted = sizeof(kernels::FixedSample), kFmaOfTileRow = 45;
    if (stage == "sort")
      return StageWork{2 * work.sample_bytes() +
                       work.samples * ((2 * kPasses + 2) * kPair + kSorted)};
    if (stage != kAccumulateStage) return std::nullopt;
    return StageWork{
        work.samples * kSorted + static_cast<double>(problem.grid().bytes(problem.precision)),
        kFmaOfTileRow * work.kernels.rows, kFmaCeiling};
  }

 private:
  /// All samples within the lattice of coarse cells are candidates, by whose number tiles are
  /// scaled and cut into items.
  static Vec3 reach_of(const Ellipsoid<double>& e, const Problem& problem) {
    const Grid& grid = problem.grid();
    const kernels::CoarseCells coarse =
        kernels::make_span_plan(e, grid, problem.kernel.function, 1, {}, {}).coarse;
    Vec3 reach;
    for (int axis = 0; axis < 3; ++axis) {
      const std::int64_t before = -std::int64_t{coarse.origin[axis]},
                         all = std::int64_t{coarse.dims[axis]} << coarse.shift[axis],
                         behind = all - before - grid.dims[static_cast<std::size_t>(axis)];
      // A cell more, as positions are rounded to cells.
      reach[axis] = grid.spacing[axis] * static_cast<double>(std::max(before, behind) + 1);
    }
    return reach;
  }

  static std::string refusal(const Problem& problem, const CloudFacts& cloud) {
    if (std::string why = cuda_refusal(problem, cloud); !why.empty()) return why;
    if (problem.precision == Precision::f64) return "it computes in f32 only";
    return kernels::span_refusal(problem.kernel.ellipsoid(problem.grid()), problem.kernel.function);
  }

  /// Costs of samples, of the tiles that their kernels meet and of cells, fitted on an H200. In
  /// 64-bit words a tile costs kPower times more for each power of the kernel.
  static double predicted_seconds(const Ellipsoid<double>& e, const Grid& grid,
                                  KernelFunction function, bool wide, const CloudFacts& cloud) {
    constexpr double kStart = 9.5e-5, kSample = 1.65e-10, kTile = 3.8e-11, kWideTile = 6e-10,
                     kPower = 1.75, kCell = 2.6e-12, kWeighted = 2.2e-10, kSecondPlane = 1.3;
    // Up to about kSortedAtOnce samples, one launch sorts them; beyond, it takes several.
    constexpr double kSort = 5.5e-5, kSortedAtOnce = 5000;
    const double width = wide ? 64 : static_cast<double>(std::min<std::int64_t>(grid.dims[0], 128));
    const double tiles = (2 * e.rx / width + 1) * (2 * e.ry / kernels::kTileRowsY + 1) *
                         (2 * e.sz / kernels::kTileRowsZ + 1);
    const auto samples = static_cast<double>(cloud.samples);
    const bool twice = cloud.weighted && !wide;
    const double tile = wide ? kWideTile * std::pow(kPower, *function->degree - 1) : kTile;
    const double planes = twice ? 1 + kSecondPlane : 1;
    return kStart + (samples > kSortedAtOnce ? kSort : 0.0) +
           samples * (kSample + (twice ? kWeighted : 0) + planes * tile * tiles) +
           planes * kCell * static_cast<double>(grid.cells());
  }

  std::unique_ptr<Run> start(const Problem& problem, RunOrders orders) override {
    if (!memory_) memory_ = std::make_unique<SpanMemory>();
    return std::make_unique<CudaSpanRun>(problem, device(), std::move(orders), *memory_);
  }

  std::unique_ptr<SpanMemory> memory_;  // made after the device is started
};

}  // namespace

std::unique_ptr<Engine> make_cuda_span(const EngineOptions& options) {
  return std::make_unique<CudaSpanEngine>(options);
}

}  // namespace skde
