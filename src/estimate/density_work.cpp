#include "estimate/density_work.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/stop_watch.hpp"
#include "core/thread_room.hpp"
#include "engines/cpu/host_values.hpp"
#include "estimate/density_warnings.hpp"

namespace skde {

DensityWork::DensityWork(CloudSource& source, const DensityRequest& request, VolumeUse use,
                         Progress& progress)
    : source_(source),
      request_(request),
      use_(use),
      progress_(progress),
      inputs_(source.cloud ? std::vector<std::string>() : source.files.paths) {
  require_threads(request.options.threads);
  facts_.precision = request.precision;
  facts_.normalization = request.normalization;
  facts_.boundaries = request.boundaries;
  known_ = look_at_samples();
  set_up();
  offers_ = engine_offers(problem_, known_.cloud, request_.options);
}

void DensityWork::prepare() {
  look_.emplace(problem_, request_.boundaries, !all_inside());
  read_ahead();
  choose_engine();
  foretell();
  make_parts();
}

void DensityWork::make_parts() {
  // Samples that the faces change are loaded once they are changed.
  std::optional<BoundaryImages> images = images_for(chosen_->offer);
  const bool keeps = !images || (source_.cloud && images->keeps(facts_.moments.bounds()));
  parts_ = source_.cloud ? cloud_parts(keeps) : file_parts(images ? &*images : nullptr);
  if (images)
    parts_ = std::make_unique<ImageParts>(std::move(parts_), *std::move(images), *engine_,
                                          images_a_part(), keeps, progress_);
  if (!chosen_->offer.wraps) problem_.periods = {};  // images stand for them
}

std::unique_ptr<SampleParts> DensityWork::cloud_parts(bool loads) {
  const SamplesView points = cloud()->points;
  const LoadedSamples* const loaded =
      loads ? &source_.places.loaded(*engine_, points, facts_.stages) : nullptr;
  return std::make_unique<MemoryParts>(points, loaded);
}

std::unique_ptr<SampleParts> DensityWork::file_parts(const BoundaryImages* images) {
  Engine* const loads = images ? nullptr : engine_;
  const std::int64_t samples = facts_.plan.part_samples;
  std::unique_ptr<FileParts> parts = std::move(ahead_);
  if (parts && !parts->are_for(static_cast<std::size_t>(samples), loads)) parts.reset();
  if (!parts) parts = open_parts(samples, loads);
  const bool once = facts_.plan.is_whole() && one_pass_ && (!images || images->passes() == 1);
  if (!once) require_read_again(source_.files.paths, source_.memory_limit());
  if (one_pass_) choose_weight_unit(*parts);
  files_ = parts.get();
  return parts;
}

std::unique_ptr<FileParts> DensityWork::open_parts(std::int64_t samples_a_part, Engine* engine) {
  auto parts = std::make_unique<FileParts>(source_.files, static_cast<std::size_t>(samples_a_part),
                                           engine, progress_);
  parts->look_with(&*look_);
  if (known_.beginning) parts->begin_with(std::move(*known_.beginning));
  known_.beginning.reset();
  parts->expect(inputs_, one_pass_ ? std::nullopt : std::optional(PassTotals::of(facts_.moments)));
  return parts;
}

/// How much is read at a time depends on the engine and on the memory of its device, which takes a
/// while to start. Meanwhile files are read for the likeliest engine as if its device had enough,
/// and from their begin if that proves wrong.
void DensityWork::read_ahead() {
  if (progress_.only_plans()) return;
  const bool is_untouched = known_.beginning && known_.beginning->first.size() == 0;
  if (!is_untouched || !io::first_read_once(source_.files.paths).empty()) return;
  const EngineOffer* const likely = likely_choice();
  if (likely == nullptr || has_boundary(request_.boundaries)) return;
  MemoryQuestion question = memory_question(*likely, nullptr, false);
  if (!memory_shortage(question).empty()) return;
  host_limit_ = question.host_limit;
  const std::string name(likely->entry->traits.name);
  ahead_ = open_parts(plan_memory(question).part_samples,
                      &source_.places.engine(name, request_.options));
  ahead_->read_ahead();
}

/// W is known after the last sample alone. The first samples tell its order, so that sums of floats
/// keep in range: a power of two, which rounds nothing.
void DensityWork::choose_weight_unit(FileParts& parts) {
  if (!known_.cloud.weighted) return;
  const double mean = parts.first_mean_weight();
  if (mean > 0 && std::isfinite(mean))
    problem_.total_weight *= std::exp2(std::rint(std::log2(mean)));
}

double DensityWork::weight_scale() const {
  return facts_.moments.total_weight() / problem_.total_weight;
}

double DensityWork::factor_for(double sum) const {
  return normalization_factor(request_.normalization, sum, mass_in_box(),
                              facts_.moments.total_weight()) /
         weight_scale();
}

/// True where no kernel reaches out of the box, as with default bounds.
bool DensityWork::all_inside() const {
  if (one_pass_ || known_.cloud.shaped) return false;
  return is_inside(facts_.grid, facts_.moments.bounds(), facts_.kernel, request_.boundaries);
}

/// The share of the mass inside the box by the kernels' integrals, once all samples were looked at.
double DensityWork::mass_in_box() const {
  return all_inside() ? 1 : std::min(1.0, facts_.in_box.weight / facts_.moments.total_weight());
}

/// That share, what the cells make of it, and what follows from both.
void DensityWork::keep_mass(double sum) {
  facts_.sum_in_box = sum;
  facts_.mass_in_box = mass_in_box();
  facts_.warnings = density_warnings(request_, facts_);
  if (goes_by_evidence(request_.bandwidth) && source_.evidence)
    facts_.warnings.insert(facts_.warnings.begin(), source_.evidence->warnings.begin(),
                           source_.evidence->warnings.end());
}

SlabSums DensityWork::start_sums() {
  const bool first = std::exchange(is_first_, false);
  if (first && is_approximate() && ErrorProbe::affords(problem_))
    probe_.emplace(problem_, known_.cloud.samples, known_.cloud.shaped, request_.options.threads);
  const PassWishes wishes{.look = first ? &*look_ : nullptr,
                          .moments = first && one_pass_,
                          .probe = first && probe_ ? &*probe_ : nullptr};
  return {*engine_, *parts_, problem_, source_.places.pool(*engine_), facts_, wishes, progress_};
}

/// The values of all slabs in one place, where the engine left them if that is one slab.
std::unique_ptr<ValueBuffer> DensityWork::whole_values() {
  SlabSums sums = start_sums();
  if (facts_.plan.is_whole()) return sums.sum(0, facts_.grid.dims[2]);
  Volume whole(facts_.grid, facts_.precision);
  BufferPool& pool = source_.places.pool(*engine_);
  for_each_slab(facts_.plan, facts_.grid, [&](std::int64_t z, std::int64_t slices) {
    std::unique_ptr<ValueBuffer> values = sums.sum(z, slices);
    values->put_slices(whole, z);
    pool.give_back(std::move(values));
  });
  return std::make_unique<HostValues>(std::move(whole));
}

/// True where values are off by more than rounding, and are looked at once: those of a session that
/// computes all the time are shown before they could be measured.
bool DensityWork::is_approximate() const {
  if (source_.options.resident) return false;
  return chosen_->entry->traits.approximates || !request_.kernel->is_bounded();
}

void DensityWork::compare_with_probe(ValueBuffer& values) {
  if (!probe_) return;
  const StopWatch comparing;
  if (const Volume* const volume = values.on_host())
    probe_->compare(*volume, 0);
  else
    probe_->compare(values.take_volume(), 0);  // a copy, as they stay on the device
  add_stages(facts_.stages, {{"measure the error", comparing.seconds()}});
}

/// `peak`: of the values as the engine left them.
void DensityWork::keep_measured(double peak) {
  if (probe_ && peak > 0) facts_.measured = probe_->result(peak);
}

Density DensityWork::compute() {
  prepare();
  Density density;
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
  density.values = source_.places.pool(*engine_).lease(std::move(values));
  density.metadata = describe(facts_);
  density.facts = std::move(facts_);
  return density;
}

/// After one pass, what is known of the samples by then.
void DensityWork::keep_counts() {
  if (files_ != nullptr) {
    facts_.counts = files_->counts();
    facts_.columns = files_->columns();
  }
  if (!one_pass_) return;
  if (chosen_->entry->traits.approximates && weight_scale() > problem_.whole_share)
    throw Error(ErrorKind::unsupported,
                fmt::format("samples weigh {:.3g} times what the first of them told, which is more "
                            "than the whole numbers of {} have digits for",
                            weight_scale(), facts_.engine),
                {"engine", "use `engine=tile` or `engine=cuda-tile`"});
  require_overlap(facts_.moments.bounds(), facts_.kernel.half_extents(), facts_.grid,
                  request_.boundaries);
}

}  // namespace skde
