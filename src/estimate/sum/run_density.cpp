#include "estimate/sum/run_density.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "core/report/error.hpp"
#include "engines/cpu/host_values.hpp"
#include "estimate/plan/density_warnings.hpp"
#include "estimate/plan/planned_parts.hpp"
#include "estimate/read/error_probe.hpp"
#include "estimate/sum/slab_sums.hpp"
#include "io/points/row_index.hpp"
#include "system/host_memory.hpp"
#include "system/stop_watch.hpp"

namespace skde {
namespace {

/// Turns a plan into values: reads, sums and normalises, each once.
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
  void keep_memory(Volume volume);
  void compare_with_probe(ValueBuffer& values);
  void keep_measured(double peak);
  void keep_counts();
  void keep_indexed();
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
  std::optional<ErrorProbe> probe_;  ///< set if values are approximated
};

/// Returns the engine. Throws the plan's obstacle, and frees memory that the plan does not count
/// on.
Engine& engine_of(CloudSource& source, const DensityPlan& plan) {
  plan.require_runnable();
  if (plan.is_provisional)
    throw Error(ErrorKind::usage,
                "the plan's bandwidth is not known yet; make a new plan before the run");
  if (source.cloud && plan.memory.part_samples > 0) {  // the plan leaves no room for them
    source.engines.forget_samples();
    source.cloud.reset();
  }
  return source.engines.named(plan.engine, plan.request.options);
}

DensityRun::DensityRun(CloudSource& source, const DensityPlan& plan, Progress& progress)
    : source_(source),
      progress_(progress),
      facts_(plan),
      problem_(plan.problem),
      engine_(engine_of(source, plan)),
      parts_(make_parts(source, plan, engine_, problem_, progress)) {
  facts_.stages = std::exchange(source.stages, {});
  if (facts_.blocks) keep_indexed();
  // Errors beyond rounding are measured once. A session that computes all the time skips this: its
  // values are shown before the measurement could end. It knows values at centres alone.
  const bool approximates =
      engine_entry(plan.engine).traits.approximates || !plan.request.kernel->is_bounded();
  if (approximates && problem_.cells == CellValue::centre && !problem_.signed_weights &&
      !source.options.resident && ErrorProbe::affords(problem_))
    probe_.emplace(problem_, plan.cloud.samples, plan.cloud.shaped, plan.request.options.threads);
}

/// Returns W divided by the total weight that the sums assumed.
double DensityRun::weight_scale() const {
  return facts_.moments.total_weight() / problem_.total_weight;
}

/// Returns the factor that normalises the sums as requested. `sum` is the integral over the cells.
double DensityRun::factor_for(double sum) const {
  if (problem_.signed_weights)
    return normalization_scale(facts_.normalization, 1, facts_.moments.total_weight()) /
           weight_scale();
  return normalization_factor(facts_.normalization, sum, mass_in_box(),
                              facts_.moments.total_weight()) /
         weight_scale();
}

/// Returns the share of mass in the box by the kernels' integrals, or as counted in the cells. Call
/// once all samples were seen.
double DensityRun::mass_in_box() const {
  const bool counts = facts_.request.is_histogram() && facts_.sum_in_box > 0;
  if (counts && !facts_.cloud.shaped) return facts_.sum_in_box;
  return all_inside(facts_) ? 1
                            : std::min(1.0, facts_.in_box.weight / facts_.moments.total_weight());
}

/// Stores that share, `sum` over the cells, and the warnings that follow from both.
void DensityRun::keep_mass(double sum) {
  facts_.sum_in_box = sum;
  facts_.mass_in_box = problem_.signed_weights ? 0 : mass_in_box();
  facts_.warnings = density_warnings(facts_.request, facts_);
  if (source_.knows_bandwidth(facts_.request))
    facts_.warnings.insert(facts_.warnings.begin(), source_.data_driven->warnings.begin(),
                           source_.data_driven->warnings.end());
}

SlabSums DensityRun::start_sums() {
  const bool again = source_.options.resident && source_.cloud && parts_.parts->is_one_part();
  const PassWishes wishes{.look = &parts_.started->look,
                          .faces = again ? &source_.faces : nullptr,
                          .moments = facts_.one_pass && !facts_.blocks,
                          .probe = probe_ ? &*probe_ : nullptr};
  return {engine_, *parts_.parts, problem_, source_.engines.pool(engine_),
          facts_,  wishes,        progress_};
}

/// Returns the values of all slabs in one place. A single slab stays where the engine left it.
std::unique_ptr<ValueBuffer> DensityRun::whole_values() {
  SlabSums sums = start_sums();
  if (facts_.memory.is_whole()) return sums.sum(0, facts_.grid.dims[2]);
  Volume whole(facts_.grid, facts_.precision);
  BufferPool& pool = source_.engines.pool(engine_);
  for_each_slab(facts_.memory, facts_.grid, [&](std::int64_t z, std::int64_t slices) {
    std::unique_ptr<ValueBuffer> values = sums.sum(z, slices);
    values->put_slices(whole, z);
    pool.give_back(std::move(values));
  });
  return std::make_unique<HostValues>(std::move(whole));
}

/// Returns the sums of a slab in host memory.
Volume DensityRun::take_slab(SlabSums& sums, std::int64_t z, std::int64_t slices) {
  std::unique_ptr<ValueBuffer> values = sums.sum(z, slices);
  const StopWatch collecting;
  Volume slab = values->take_volume();
  source_.engines.pool(engine_).give_back(std::move(values));
  add_stages(facts_.stages, {{"collect", collecting.seconds()}});
  return slab;
}

void DensityRun::compare_with_probe(ValueBuffer& values) {
  if (!probe_) return;
  const StopWatch comparing;
  if (const Volume* const volume = values.on_host())
    probe_->compare(*volume, 0);
  else
    probe_->compare(values.take_volume(), 0);  // a copy: the values stay on the device
  add_stages(facts_.stages, {{"measure the error", comparing.seconds()}});
}

/// `peak`: the largest value as the engine left it.
void DensityRun::keep_measured(double peak) {
  if (probe_ && peak > 0) facts_.measured = probe_->result(peak);
}

/// Stores what the index says of all samples. Those that are not read lie outside the box.
void DensityRun::keep_indexed() {
  if (!source_.index)
    throw Error(ErrorKind::usage, "the index of the plan is no longer known; make a new plan");
  facts_.moments = source_.index->moments;
  facts_.counts = io::counts_of(*source_.index);
  facts_.in_box.outside += facts_.blocks->skipped_samples;
}

/// Stores what is known of the samples after one pass.
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
  progress_.throw_if_cancelled();  // each pass over a large volume takes a while
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
          source_.engines.pool(engine_).lease(std::move(values))};
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
  if (engine_.traits().device == Device::cpu) keep_memory(std::move(volume));
}

/// Keeps the memory of a volume for the next one, as the system takes long to hand it out, unless
/// it is a large share of what there is.
void DensityRun::keep_memory(Volume volume) {
  constexpr std::int64_t kLeast = 1 << 20, kShare = 64;
  const std::int64_t bytes = volume.grid().bytes(volume.precision());
  if (bytes >= kLeast && bytes < static_cast<std::int64_t>(available_memory()) / kShare)
    source_.engines.pool(engine_).give_back(std::make_unique<HostValues>(std::move(volume)));
}

void DensityRun::stream_slabs(SliceSink& sink) {
  SlabSums sums = start_sums();
  SilentProgress taking(progress_);  // the stage is that of the sums over all slabs
  double found = 0, peak = 0;
  for_each_slab(facts_.memory, facts_.grid, [&](std::int64_t z, std::int64_t slices) {
    Volume slab = take_slab(sums, z, slices);
    if (z == 0) {
      keep_counts();
      sink.begin(facts_);
    }
    found += slab.mass() / weight_scale();
    // The first slab has seen all samples. Whether any cell is covered is only known at the end.
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
  static_cast<void>(factor_for(found));  // throws if no kernel covers a cell centre
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

double volume_mass(const Volume& volume, Progress& progress) {
  constexpr std::int64_t kFewest = 32, kCells = std::int64_t{1} << 22;
  const auto& dims = volume.grid().dims;
  const std::int64_t at_once = std::max(kFewest, kCells / (dims[0] * dims[1]));
  const std::int64_t slices = dims[2];
  progress.begin("mass", static_cast<std::uint64_t>(slices), "slices");
  double sum = 0;
  for (std::int64_t z = 0; z < slices; z += at_once) {
    progress.throw_if_cancelled();
    sum += volume.sum_of(z, std::min(at_once, slices - z));
    progress.update(static_cast<std::uint64_t>(std::min(z + at_once, slices)));
  }
  return sum * volume.grid().cell_volume();
}

}  // namespace skde
