#include "analysis/accumulation.hpp"

#include <algorithm>

#include "core/stop_watch.hpp"

namespace skde {
namespace {

/// A part of a longer stage: what the engine says of its own work becomes a share of the part.
class PartProgress final : public Progress {
 public:
  PartProgress(Progress& whole, std::uint64_t before, std::uint64_t part)
      : whole_(whole), before_(before), part_(part) {}
  void begin(std::string_view, std::uint64_t total, std::string_view) override { total_ = total; }
  void update(std::uint64_t done) override {
    if (total_ == 0) return;
    const double share = static_cast<double>(done) / static_cast<double>(total_);
    whole_.update(before_ + static_cast<std::uint64_t>(share * static_cast<double>(part_)));
  }
  bool cancelled() const override { return whole_.cancelled(); }

 private:
  Progress& whole_;
  std::uint64_t before_, part_, total_ = 0;
};

/// Copies a slab's values to their slices of the whole.
template <class Real>
void put_slab(const Volume& slab, std::int64_t z, Volume& whole) {
  const auto from = slab.values<Real>();
  const auto& dims = whole.grid().dims;
  std::ranges::copy(from, whole.values<Real>().begin() + z * dims[0] * dims[1]);
}

/// What stays the same from slab to slab.
struct Work {
  Engine& engine;
  SampleChunks& chunks;
  const EllipsoidKernel& kernel;
  double total_weight;
  Moments* moments;
  Progress& progress;
  std::uint64_t done = 0;  // samples, over all slabs
};

Volume sum_slab(Work& work, const Grid& grid, StageTimes& stages) {
  std::unique_ptr<DensityBuffer> buffer;
  work.chunks.rewind();
  while (true) {
    const StopWatch waiting;
    const PointsView part = work.chunks.next();
    if (!work.chunks.is_one_part()) add_stages(stages, {{"wait for samples", waiting.seconds()}});
    if (part.size() == 0 && buffer) break;
    work.progress.throw_if_cancelled();
    if (!work.chunks.is_one_part()) add_stages(stages, work.engine.load(part));
    if (work.moments && part.size() > 0) work.moments->merge(work.engine.moments());
    if (!buffer) {
      add_stages(stages, work.engine.prepare({work.kernel, grid, work.total_weight}));
      const StopWatch allocating;
      buffer = work.engine.make_buffer();
      add_stages(stages, {{"allocate", allocating.seconds()}});
    }
    PartProgress progress(work.progress, work.done, part.size());
    add_stages(stages, work.engine.run(*buffer, progress));
    work.done += part.size();
    work.progress.update(work.done);
    if (part.size() == 0) break;
  }
  const StopWatch collecting;
  Volume volume = buffer->take_volume();
  add_stages(stages, {{"collect", collecting.seconds()}});
  return volume;
}

}  // namespace

Accumulation accumulate(Engine& engine, SampleChunks& chunks, const EllipsoidKernel& kernel,
                        const Grid& grid, double total_weight, Precision precision,
                        const MemoryPlan& plan, Moments* moments, Progress& progress) {
  Accumulation result;
  Work work{engine, chunks, kernel, total_weight, moments, progress};
  progress.begin("accumulate", static_cast<std::uint64_t>(plan.samples * plan.slabs), "samples");
  if (plan.slabs == 1) {
    result.volume = sum_slab(work, grid, result.stages);
    return result;
  }
  result.volume = Volume(grid, precision);
  for (std::int64_t z = 0; z < grid.dims[2]; z += plan.slab_slices) {
    const std::int64_t slices = std::min(plan.slab_slices, grid.dims[2] - z);
    const Volume slab = sum_slab(work, slab_of(grid, z, slices), result.stages);
    work.moments = nullptr;  // every slab sees the same samples
    if (precision == Precision::f32)
      put_slab<float>(slab, z, result.volume);
    else
      put_slab<double>(slab, z, result.volume);
  }
  return result;
}

}  // namespace skde
