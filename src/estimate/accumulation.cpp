#include "estimate/accumulation.hpp"

#include <algorithm>

#include "core/stop_watch.hpp"

namespace skde {
namespace {

/// The engine's progress on a part of the samples, as a share of the stage that sums all of them.
/// Its other stages are shown where the part is all there is; or else they only keep the bar alive.
class PartProgress final : public Progress {
 public:
  PartProgress(Progress& shown, std::uint64_t before, std::uint64_t part, std::uint64_t all)
      : shown_(shown), before_(before), part_(part), all_(all) {}

  void begin(std::string_view stage, std::uint64_t total, std::string_view unit) override {
    total_ = total;
    sums_ = stage == kAccumulateStage;
    if (!is_whole()) return;
    if (sums_)
      begin_sum(shown_, all_);
    else
      shown_.begin(stage, total, unit);
  }
  void update(std::uint64_t done) override {
    if (total_ == 0) return;
    const double share = static_cast<double>(done) / static_cast<double>(total_);
    if (sums_)
      shown_.update(before_ + static_cast<std::uint64_t>(share * static_cast<double>(part_)));
    else
      shown_.update(is_whole() ? done : before_);
  }
  bool cancelled() const override { return shown_.cancelled(); }

  /// The stage that parts are shares of.
  static void begin_sum(Progress& shown, std::uint64_t all) {
    shown.begin(kAccumulateStage, all, "samples");
  }

 private:
  bool is_whole() const { return part_ == all_; }

  Progress& shown_;
  std::uint64_t before_, part_, all_, total_ = 0;
  bool sums_ = true;
};

/// Copies a slab's values to their slices of the whole.
template <class Real>
void put_slab(const Volume& slab, std::int64_t z, Volume& whole) {
  const auto from = slab.values<Real>();
  const auto& dims = whole.grid().dims;
  std::ranges::copy(from, whole.values<Real>().begin() + z * dims[0] * dims[1]);
}

/// What the slabs share.
struct Work {
  Engine& engine;
  SampleChunks& chunks;
  const EllipsoidKernel& kernel;
  const Grid& whole;
  double total_weight;
  Moments* moments;
  Progress& progress;
  std::uint64_t all;       // samples, over all slabs
  bool counted = false;    // what the samples add to the volume
  std::uint64_t done = 0;  // of them
};

/// Counts the work of samples on the whole grid from some of them, which takes milliseconds.
void add_work(KernelWork& work, const EllipsoidKernel& kernel, const Grid& grid,
              const PointsView& points) {
  constexpr double kRows = 2e6, kFewest = 32;
  const Ellipsoid<double> e = make_ellipsoid(kernel.H, grid);
  const double rows = std::min(2 * e.sz + 1, static_cast<double>(grid.dims[2])) *
                      std::min(2 * e.ry + 1, static_cast<double>(grid.dims[1]));
  work += count_work(e, grid, points, static_cast<std::size_t>(std::max(kFewest, kRows / rows)));
}

/// The engine's own work on a part, which is timed and counted.
void add_engine_stages(Accumulation& sum, const StageTimes& stages) {
  for (const StageTime& stage : stages) sum.engine_seconds += stage.seconds;
  add_stages(sum.stages, stages);
}

/// Adds the times and the work of a slab to those of `sum`.
Volume sum_slab(Work& work, const Grid& grid, Accumulation& sum) {
  std::unique_ptr<DensityBuffer> buffer;
  work.chunks.rewind();
  while (true) {
    const StopWatch waiting;
    const PointsView part = work.chunks.next();
    if (!work.chunks.is_one_part())
      add_stages(sum.stages, {{"wait for samples", waiting.seconds()}});
    if (part.size() == 0 && buffer) break;
    work.progress.throw_if_cancelled();
    if (!work.chunks.is_one_part()) add_stages(sum.stages, work.engine.load(part));
    if (work.moments && part.size() > 0) work.moments->merge(work.engine.moments());
    if (!buffer) {
      add_engine_stages(sum, work.engine.prepare({work.kernel, grid, work.total_weight}));
      const StopWatch allocating;
      buffer = work.engine.make_buffer();
      add_stages(sum.stages, {{"allocate", allocating.seconds()}});
    }
    PartProgress progress(work.progress, work.done, part.size(), work.all);
    add_engine_stages(sum, work.engine.run(*buffer, progress));
    if (!work.counted) add_work(sum.work, work.kernel, work.whole, part);
    work.done += part.size();
    work.progress.update(work.done);
    if (part.size() == 0) break;
  }
  const StopWatch collecting;
  Volume volume = buffer->take_volume();
  add_stages(sum.stages, {{"collect", collecting.seconds()}});
  return volume;
}

}  // namespace

Accumulation accumulate(Engine& engine, SampleChunks& chunks, const EllipsoidKernel& kernel,
                        const Grid& grid, double total_weight, Precision precision,
                        const MemoryPlan& plan, Moments* moments, Progress& progress) {
  Accumulation result;
  Work work{engine,       chunks,  kernel,   grid,
            total_weight, moments, progress, static_cast<std::uint64_t>(plan.samples * plan.slabs)};
  PartProgress::begin_sum(progress, work.all);
  if (plan.slabs == 1) {
    result.volume = sum_slab(work, grid, result);
    return result;
  }
  result.volume = Volume(grid, precision);
  for (std::int64_t z = 0; z < grid.dims[2]; z += plan.slab_slices) {
    const std::int64_t slices = std::min(plan.slab_slices, grid.dims[2] - z);
    const Volume slab = sum_slab(work, slab_of(grid, z, slices), result);
    work.moments = nullptr;  // every slab sees the same samples
    work.counted = true;
    if (precision == Precision::f32)
      put_slab<float>(slab, z, result.volume);
    else
      put_slab<double>(slab, z, result.volume);
  }
  return result;
}

}  // namespace skde
