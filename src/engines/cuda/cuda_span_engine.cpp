#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/error.hpp"
#include "engines/cuda/cuda_engine.hpp"
#include "engines/cuda/cuda_engines.hpp"
#include "engines/cuda/cuda_traits.hpp"
#include "kernels/coarse_sort.hpp"
#include "kernels/row_spans.hpp"

namespace skde {
namespace {

/// The fast exact engine: row spans as difference arrays in the tiles of the volume.
class CudaSpanEngine final : public CudaEngine<float> {
 public:
  explicit CudaSpanEngine(const EngineOptions& options) : CudaEngine(options, 1.25), counters_(2) {}

  const EngineTraits& traits() const override { return kCudaSpanTraits; }
  std::string launch_policy() const override { return plan_.describe(); }

  StageTimes prepare(const DensityProblem& problem) override {
    const Ellipsoid<double> ellipsoid = make_ellipsoid(problem.kernel.H, problem.grid);
    if (const std::string why = kernels::span_refusal(ellipsoid, problem.kernel.function);
        !why.empty())
      throw Error(ErrorKind::unsupported, "cuda-span does not serve this: " + why,
                  {"engine", "use `engine=cuda-chop-crop`, or fewer `dims`"});
    return CudaEngine::prepare(problem);
  }

  StageTimes run(DensityBuffer& buffer, Progress& progress) override {
    session_.activate();
    progress.throw_if_cancelled();
    CudaBuffer<float>& own = session_.own_buffer(buffer);
    if (session_.count() == 0) return {};
    const bool adds = !own.is_cleared();
    float* const values = adds ? own.accumulated_values() : own.overwritten_values();
    const Grid& grid = session_.problem().grid;
    const std::int64_t depth = slab_depth(adds);
    StageTimes total;
    progress.begin(kAccumulateStage, static_cast<std::uint64_t>(grid.dims[2]), "slices");
    for (std::int64_t z = 0; z < grid.dims[2]; z += depth) {
      progress.throw_if_cancelled();
      const std::int64_t slices = std::min(depth, grid.dims[2] - z);
      add_stages(total, run_slab(slab_of(grid, z, slices), values, z, adds));
      progress.update(static_cast<std::uint64_t>(z + slices));
    }
    return total;
  }

 private:
  /// Slices that are computed at once: few enough that a long run tells of itself and can be
  /// cancelled, and, where a second volume is added to the first, a quarter of them at the most.
  std::int64_t slab_depth(bool adds) const {
    constexpr double kRowsAtOnce = 5e9;  // of kernels; about 20 ms on an H200
    constexpr double kWideCost = 20;     // of a row in 64-bit words against one in 32
    const DensityProblem& problem = session_.problem();
    const Ellipsoid<double> e = make_ellipsoid(problem.kernel.H, problem.grid);
    const double rows =
        static_cast<double>(session_.count()) * std::numbers::pi * (e.sy + 2) * (e.sz + 2) *
        (kernels::needs_wide_words(e, problem.kernel.function, session_.points().weights != nullptr)
             ? kWideCost
             : 1.0);
    const double slabs = std::max(adds ? 4.0 : 1.0, std::ceil(rows / kRowsAtOnce));
    const std::int64_t layers = kernels::tile_layers(problem.grid.dims[2]);
    const auto deep = static_cast<std::int64_t>(static_cast<double>(layers) / slabs);
    return std::max<std::int64_t>(1, deep) * kernels::kTileRowsZ;
  }

  /// Computes a slab of the volume that begins at slice `z`.
  StageTimes run_slab(const Grid& slab, float* values, std::int64_t z, bool adds) {
    plan_run(slab);
    gpu::StageTimer timer(session_.stream());
    sort_samples(slab);
    timer.mark("sort");
    float* const begin = values + z * slab.dims[0] * slab.dims[1];
    if (adds) addend_.reserve(static_cast<std::size_t>(slab.cells()));
    write_spans(adds ? addend_.data() : begin, timer);
    if (adds) {
      kernels::add_volume(addend_.data(), begin, slab.cells(), session_.stream().get());
      timer.mark("add");
    }
    return timer.finish();
  }

  void plan_run(const Grid& slab) {
    const DensityProblem& problem = session_.problem();
    const double weight = session_.largest_weight();
    plan_ = kernels::make_span_plan(
        make_ellipsoid(problem.kernel.H, problem.grid), slab, problem.kernel.function,
        problem.kernel.amplitude() / problem.total_weight * weight,
        {session_.count(), session_.points().weights != nullptr, weight},
        session_.device().multiprocessors);
    const auto count = static_cast<std::size_t>(session_.count());
    for (int side = 0; side < 2; ++side) {
      keys_[side].reserve(count);
      indices_[side].reserve(count);
    }
    if (plan_.wide_words)
      precise_.reserve(count);
    else
      fixed_.reserve(count);
    starts_.reserve(static_cast<std::size_t>(plan_.coarse.count()) + 1);
    tile_candidates_.reserve(static_cast<std::size_t>(plan_.tile_count()));
    tile_scales_.reserve(static_cast<std::size_t>(plan_.tile_count()));
    tile_done_.reserve(static_cast<std::size_t>(plan_.tile_count()));
    items_.reserve(static_cast<std::size_t>(kernels::most_items(plan_, session_.count())));
  }

  /// Writes the density of the loaded samples to every cell of the planned slab.
  void write_spans(float* values, gpu::StageTimer& timer) {
    const cudaStream_t stream = session_.stream().get();
    const kernels::SpanArrays arrays = arrays_for(values);
    kernels::list_items(plan_, arrays, stream);
    timer.mark("tiles");
    kernels::accumulate_spans(plan_, session_.problem().kernel.function, arrays,
                              session_.device().multiprocessors, stream);
    timer.mark("accumulate");
  }

  void sort_samples(const Grid& grid) {
    const cudaStream_t stream = session_.stream().get();
    const kernels::DevicePoints points = session_.points();
    std::uint32_t* keys[2] = {keys_[0].data(), keys_[1].data()};
    std::uint32_t* indices[2] = {indices_[0].data(), indices_[1].data()};
    const int bits = kernels::key_bits(plan_);
    kernels::key_samples(points, grid, plan_, keys[0], indices[0], stream);
    std::size_t bytes = 0;
    kernels::sort_keys(keys, indices, points.count, bits, nullptr, bytes, stream);
    scratch_.reserve(bytes);
    bytes = scratch_.size();
    const int side =
        kernels::sort_keys(keys, indices, points.count, bits, scratch_.data(), bytes, stream);
    kernels::find_starts(keys[side], points.count, plan_, starts_.data(), stream);
    if (!plan_.wide_words)
      return kernels::gather_sorted(points, grid, plan_, indices[side], fixed_.data(), stream);
    kernels::gather_sorted(points, grid, plan_, indices[side], precise_.data(), stream);
    if (points.weights) sum_weights(points.count);
  }

  void sum_weights(std::int64_t count) {
    const cudaStream_t stream = session_.stream().get();
    weight_sums_.reserve(static_cast<std::size_t>(count));
    std::size_t bytes = 0;
    kernels::sum_weights(precise_.data(), count, weight_sums_.data(), nullptr, bytes, stream);
    scratch_.reserve(bytes);
    bytes = scratch_.size();
    kernels::sum_weights(precise_.data(), count, weight_sums_.data(), scratch_.data(), bytes,
                         stream);
  }

  kernels::SpanArrays arrays_for(float* values) {
    const bool weighted = session_.points().weights != nullptr;
    return {.fixed = fixed_.data(),
            .precise = precise_.data(),
            .weight_sums = weighted ? weight_sums_.data() : nullptr,
            .starts = starts_.data(),
            .items = items_.data(),
            .tile_candidates = tile_candidates_.data(),
            .tile_scales = tile_scales_.data(),
            .tile_done = tile_done_.data(),
            .counters = counters_.data(),
            .volume = values};
  }

  kernels::SpanPlan plan_{};
  gpu::DeviceBuffer<std::uint32_t> keys_[2], indices_[2], starts_, tile_candidates_, tile_done_,
      counters_;
  gpu::DeviceBuffer<std::uint64_t> weight_sums_;
  gpu::DeviceBuffer<kernels::FixedSample> fixed_;
  gpu::DeviceBuffer<kernels::PreciseSample> precise_;
  gpu::DeviceBuffer<kernels::TileScale> tile_scales_;
  gpu::DeviceBuffer<kernels::SpanItem> items_;
  gpu::DeviceBuffer<unsigned char> scratch_;
  gpu::DeviceBuffer<float> addend_;
};

}  // namespace

std::unique_ptr<Engine> make_cuda_span(const EngineOptions& options) {
  if (options.precision == Precision::f64)
    throw Error(ErrorKind::unsupported, "cuda-span computes in f32 only",
                {"precision", "leave out `precision=f64` or name another `engine`"});
  return std::make_unique<CudaSpanEngine>(options);
}

}  // namespace skde
