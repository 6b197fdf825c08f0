#include <algorithm>
#include <utility>

#include "core/stop_watch.hpp"
#include "estimate/density_work.hpp"
#include "estimate/volume_mass.hpp"

namespace skde {

DensityFacts DensityWork::stream(SliceSink& sink) {
  sink_ = &sink;
  prepare();
  sink.expect(facts_.grid, facts_.precision);
  if (facts_.plan.is_whole())
    stream_whole(sink);
  else
    stream_slabs(sink);
  return std::move(facts_);
}

void DensityWork::stream_whole(SliceSink& sink) {
  SlabSums sums = start_sums();
  Volume volume = take_slab(sums, 0, facts_.grid.dims[2]);
  keep_counts();
  const double mass = timed_stage(facts_.stages, "mass",
                                  [&] { return volume_mass(volume, progress_) / weight_scale(); });
  if (probe_) probe_->compare(volume, 0);
  const double peak = volume.maximum();
  keep_measured(peak);
  keep_mass(mass);
  const double factor = factor_for(facts_.sum_in_box);
  facts_.peak = peak * factor;
  require_in_range(facts_.peak, facts_.precision);
  if (factor != 1) volume.scale(factor);
  sink.begin(facts_);
  sink.take(0, volume, progress_);
  sink.finish(facts_, progress_);
}

void DensityWork::stream_slabs(SliceSink& sink) {
  SlabSums sums = start_sums();
  SilentProgress taking(progress_);  // the stage is that of the sums, of all slabs together
  double found = 0, peak = 0;
  for_each_slab(facts_.plan, facts_.grid, [&](std::int64_t z, std::int64_t slices) {
    Volume slab = take_slab(sums, z, slices);
    if (z == 0) {
      keep_counts();
      sink.begin(facts_);
    }
    found += slab.mass() / weight_scale();
    // All samples were looked at with the first slab; that the cells see none is told at the end.
    const double factor = factor_for(1);
    if (probe_) probe_->compare(slab, z);
    const double most = slab.maximum();
    peak = std::max(peak, most);
    facts_.peak = std::max(facts_.peak, most * factor);
    if (facts_.peak > 1) require_in_range(facts_.peak, facts_.precision);
    if (factor != 1) slab.scale(factor);
    sink.take(z, slab, taking);
  });
  keep_measured(peak);
  keep_mass(found);
  static_cast<void>(factor_for(found));  // throws where no kernel covers a cell centre
  require_in_range(facts_.peak, facts_.precision);
  sink.finish(facts_, progress_);
}

/// The sums of a slab in host memory.
Volume DensityWork::take_slab(SlabSums& sums, std::int64_t z, std::int64_t slices) {
  std::unique_ptr<ValueBuffer> values = sums.sum(z, slices);
  const StopWatch collecting;
  Volume slab = values->take_volume();
  source_.places.pool(*engine_).give_back(std::move(values));
  add_stages(facts_.stages, {{"collect", collecting.seconds()}});
  return slab;
}

}  // namespace skde
