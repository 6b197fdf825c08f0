#include "estimate/sum/run_density.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "core/report/error.hpp"
#include "engines/cpu/host_values.hpp"
#include "estimate/plan/density_warnings.hpp"
#include "estimate/plan/planned_parts.hpp"
#include "estimate/sum/slab_sums.hpp"
#include "estimate/sum/volume_mass.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

/// A plan on its way to values: reads, sums and normalises, each once.
class DensityRun {
 public:
  DensityRun(CloudSource& source, const DensityPlan& plan, Progress& progress);

  Density compute();
  DensityFacts stream(SliceSink& sink);

 private:
  SlabSums start_sums();
  std::unique_ptr<ValueBuffer> whole_values();
  Volume take_slab(SlabSums& sums, std::int64_t z, std::int64_t slices);
  void stream_slabs(SliceSink& sink);
  void stream_whole(SliceSink& sink);
  void compare_with_probe(ValueBuffer& values);
  void keep_measured(double peak);
  void keep_counts();
  void keep_mass(double sum);
  double mass_in_box() const;
  double factor_for(double sum) const;
  double weight_scale() const;

  CloudSource& source_;
  Progress& progress_;
  DensityFacts facts_;
  Problem problem_;
  Engine& engine_;
  PlannedParts parts_;
  std::optional<ErrorProbe> probe_;  ///< where values are approximated
};

/// An engine, once what stands in the way of the plan and what memory is short of are dealt with.
Engine& engine_of(CloudSource& source, const DensityPlan& plan) {
  plan.require_runnable();
  if (plan.is_provisional)
    throw Error(ErrorKind::usage,
                "the plan's bandwidth is not known yet; make a new plan before the run");
  if (source.cloud && plan.memory.part_samples > 0) {  // there is no room for them
    source.places.forget_samples();
    source.cloud.reset();
  }
  return source.places.engine(plan.engine, plan.request.options);
}

DensityFacts facts_of(const DensityPlan& plan) {
  DensityFacts facts;
  static_cast<DensityPlan&>(facts) = plan;
  return facts;
}

DensityRun::DensityRun(CloudSource& source, const DensityPlan& plan, Progress& progress)
    : source_(source),
      progress_(progress),
      facts_(facts_of(plan)),
      problem_(plan.problem),
      engine_(engine_of(source, plan)),
      parts_(make_parts(source, plan, engine_, problem_, progress)) {
  facts_.stages = std::exchange(source.stages, {});
  // Values off by more than rounding are measured once: those of a session that computes all the
  // time are shown before they could be.
  const bool approximates =
      engine_entry(plan.engine).traits.approximates || !plan.request.kernel->is_bounded();
  if (approximates && !source.options.resident && ErrorProbe::affords(problem_))
    probe_.emplace(problem_, plan.cloud.samples, plan.cloud.shaped, plan.request.options.threads);
}

/// W over what the sums were made for.
double DensityRun::weight_scale() const {
  return facts_.moments.total_weight() / problem_.total_weight;
}

/// The factor that turns sums into what was asked for; `sum` is what the cells come to.
double DensityRun::factor_for(double sum) const {
  return normalization_factor(facts_.normalization, sum, mass_in_box(),
                              facts_.moments.total_weight()) /
         weight_scale();
}

/// The share of the mass inside the box by the kernels' integrals, once all samples were looked at.
double DensityRun::mass_in_box() const {
  return all_inside(facts_) ? 1
                            : std::min(1.0, facts_.in_box.weight / facts_.moments.total_weight());
}

/// That share, what the cells make of it, and what follows from both.
void DensityRun::keep_mass(double sum) {
  facts_.sum_in_box = sum;
  facts_.mass_in_box = mass_in_box();
  facts_.warnings = density_warnings(facts_.request, facts_);
  if (is_data_driven(facts_.request.bandwidth) && source_.data_driven)
    facts_.warnings.insert(facts_.warnings.begin(), source_.data_driven->warnings.begin(),
                           source_.data_driven->warnings.end());
}

SlabSums DensityRun::start_sums() {
  const PassWishes wishes{.look = &parts_.started->look,
                          .moments = facts_.one_pass,
                          .probe = probe_ ? &*probe_ : nullptr};
  return {engine_, *parts_.parts, problem_, source_.places.pool(engine_),
          facts_,  wishes,        progress_};
}

/// The values of all slabs in one place, where the engine left them if that is one slab.
std::unique_ptr<ValueBuffer> DensityRun::whole_values() {
  SlabSums sums = start_sums();
  if (facts_.memory.is_whole()) return sums.sum(0, facts_.grid.dims[2]);
  Volume whole(facts_.grid, facts_.precision);
  BufferPool& pool = source_.places.pool(engine_);
  for_each_slab(facts_.memory, facts_.grid, [&](std::int64_t z, std::int64_t slices) {
    std::unique_ptr<ValueBuffer> values = sums.sum(z, slices);
    values->put_slices(whole, z);
    pool.give_back(std::move(values));
  });
  return std::make_unique<HostValues>(std::move(whole));
}

/// The sums of a slab in host memory.
Volume DensityRun::take_slab(SlabSums& sums, std::int64_t z, std::int64_t slices) {
  std::unique_ptr<ValueBuffer> values = sums.sum(z, slices);
  const StopWatch collecting;
  Volume slab = values->take_volume();
  source_.places.pool(engine_).give_back(std::move(values));
  add_stages(facts_.stages, {{"collect", collecting.seconds()}});
  return slab;
}

void DensityRun::compare_with_probe(ValueBuffer& values) {
  if (!probe_) return;
  const StopWatch comparing;
  if (const Volume* const volume = values.on_host())
    probe_->compare(*volume, 0);
  else
    probe_->compare(values.take_volume(), 0);  // a copy, as they stay on the device
  add_stages(facts_.stages, {{"measure the error", comparing.seconds()}});
}

/// `peak`: of the values as the engine left them.
void DensityRun::keep_measured(double peak) {
  if (probe_ && peak > 0) facts_.measured = probe_->result(peak);
}

/// After one pass, what is known of the samples by then.
void DensityRun::keep_counts() {
  if (parts_.files != nullptr) {
    facts_.counts = parts_.files->pass().counts;
    facts_.columns = parts_.files->pass().columns;
  }
  if (!facts_.one_pass) return;
  if (engine_entry(facts_.engine).traits.approximates && weight_scale() > problem_.whole_share)
    throw Error(ErrorKind::unsupported,
                fmt::format("the integer sums of {1} overflow: samples weigh {0:.3g} times what "
                            "the first ones predicted",
                            weight_scale(), facts_.engine),
                {"engine", "use `engine=tile` or `engine=cuda-tile`"});
  require_overlap(facts_.moments.bounds(), facts_.kernel.half_extents(), facts_.grid,
                  facts_.boundaries);
}

Density DensityRun::compute() {
  std::unique_ptr<ValueBuffer> values = whole_values();
  keep_counts();
  const StopWatch summing;
  const ValueTotals totals = values->totals();
  compare_with_probe(*values);
  keep_measured(totals.maximum);
  keep_mass(totals.sum * facts_.grid.cell_volume() / weight_scale());
  const double factor = factor_for(facts_.sum_in_box);
  facts_.peak = totals.maximum * factor;
  require_in_range(facts_.peak, facts_.precision);
  if (factor != 1) values->scale(factor);
  add_stages(facts_.stages, {{"mass", summing.seconds()}});
  DensityMetadata metadata = describe(facts_);
  return {std::move(facts_), std::move(metadata),
          source_.places.pool(engine_).lease(std::move(values))};
}

DensityFacts DensityRun::stream(SliceSink& sink) {
  sink.expect(facts_.grid, facts_.precision);
  if (facts_.memory.is_whole())
    stream_whole(sink);
  else
    stream_slabs(sink);
  return std::move(facts_);
}

void DensityRun::stream_whole(SliceSink& sink) {
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

void DensityRun::stream_slabs(SliceSink& sink) {
  SlabSums sums = start_sums();
  SilentProgress taking(progress_);  // the stage is that of the sums, of all slabs together
  double found = 0, peak = 0;
  for_each_slab(facts_.memory, facts_.grid, [&](std::int64_t z, std::int64_t slices) {
    Volume slab = take_slab(sums, z, slices);
    if (z == 0) {
      keep_counts();
      sink.begin(facts_);
    }
    found += slab.mass() / weight_scale();
    // All samples were looked at with the first slab; that the cells see none is found at the end.
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

}  // namespace

Density run_density(CloudSource& source, const DensityPlan& plan, Progress& progress) {
  return DensityRun(source, plan, progress).compute();
}

DensityFacts stream_density(CloudSource& source, const DensityPlan& plan, SliceSink& sink,
                            Progress& progress) {
  return DensityRun(source, plan, progress).stream(sink);
}

}  // namespace skde
