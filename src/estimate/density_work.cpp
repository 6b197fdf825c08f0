#include "estimate/density_work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/host_memory.hpp"
#include "core/stop_watch.hpp"
#include "core/thread_room.hpp"
#include "engines/cpu/host_values.hpp"
#include "engines/cpu/point_sums.hpp"
#include "engines/served.hpp"
#include "estimate/density_warnings.hpp"

namespace skde {
namespace {

/// A cloud that is read in parts is a large one, if nobody has counted it yet.
constexpr std::int64_t kMany = 100000000;

/// Copies a slab's values to their slices of the whole.
template <class Real>
void put_slab(const Volume& slab, std::int64_t z, Volume& whole) {
  const auto& dims = whole.grid().dims;
  std::ranges::copy(slab.values<Real>(), whole.values<Real>().begin() + z * dims[0] * dims[1]);
}

/// Error where samples cannot have widths that adapt.
void require_adaptable(const CloudSource& source, const io::ColumnSelection& columns) {
  const bool shaped = source.cloud ? source.cloud->points.shaped() : columns.shaped();
  if (shaped)
    throw Error(ErrorKind::usage, "samples have widths of their own, so that none adapt",
                {"adaptive", "leave out `adaptive`, or the `widths`"});
  if (!source.cloud)
    throw Error(ErrorKind::resources,
                "widths that adapt need all samples in memory, and they do not fit",
                {"memory_limit", "raise `memory_limit`, or leave out `adaptive`"});
}

}  // namespace

std::int64_t CloudSource::memory_limit() const {
  return options.memory_limit > 0 ? options.memory_limit : available_memory();
}

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
  choose_engine();
  cut();
  make_parts();
}

OfferTable DensityWork::offers() const {
  OfferTable table{known_.cloud, request_.kernel, facts_.grid, request_.precision, offers_, {}};
  try {
    table.chosen = automatic_choice().entry->traits.name;
  } catch (const Error&) {  // every engine refuses, which the table tells
  }
  return table;
}

const EngineOffer& DensityWork::automatic_choice() const {
  return choose_offer(offers_, request_.tolerance, {request_.device, source_.options.resident});
}

DensityWork::Known DensityWork::look_at_samples() {
  Known known;
  known.ahead = grid_ahead(request_);
  // A name that is wrong is told before anything is read.
  if (!request_.is_automatic()) source_.places.engine(request_.engine, request_.options);
  require_room(known.ahead, request_.precision, use_, source_.memory_limit());
  if (!source_.cloud) read_samples(known);
  if (source_.cloud) known.cloud = source_.cloud->facts();
  return known;
}

/// Into memory, if they fit there beside what is known of the volume. Slabs leave the samples most
/// of the room, as samples that are not kept are read anew for each.
void DensityWork::read_samples(Known& known) {
  constexpr double kSlabShare = 0.25;
  const double free = static_cast<double>(source_.memory_limit() - kProgramBytes);
  double volume = 0;
  if (const auto& dims = known.ahead.dims)
    volume = static_cast<double>((*dims)[0]) * static_cast<double>((*dims)[1]) *
             static_cast<double>((*dims)[2]) * static_cast<double>(value_bytes(request_.precision));
  if (use_ == VolumeUse::streamed) volume = std::min(volume, kSlabShare * free);
  const double room = free - volume;
  const StopWatch reading;
  CloudReading read = read_cloud(source_.files, std::max(room, 0.0), progress_);
  source_.cloud = std::move(read.cloud);
  known.beginning = std::move(read.beginning);
  if (source_.cloud) facts_.stages.push_back({"reading", reading.seconds()});
}

/// Moments, bandwidth and grid.
void DensityWork::set_up() {
  Known& known = known_;
  DensitySetup setup;
  const io::ColumnSelection& columns = source_.files.columns;
  if (request_.adaptive) require_adaptable(source_, columns);
  one_pass_ = !source_.cloud && known.ahead.grid && has_fixed_kernel(request_) && !columns.shaped();
  if (one_pass_) {
    setup = set_up_independent(request_, *known.ahead.grid);
    known.cloud = {kMany, columns.weighted(), false};
  } else if (source_.cloud) {
    facts_.moments = source_.cloud->moments;
    facts_.counts = source_.cloud->counts;
    facts_.columns = source_.cloud->columns;
    setup = set_up_density(request_, facts_.moments, source_.cloud->inner_bounds, known.ahead,
                           source_.cloud->shapes);
    if (request_.adaptive) adapt(setup);
  } else {
    require_read_again(source_.files.paths);
    const StopWatch first_pass;
    const CloudMoments found = read_moments(source_.files, std::move(*known.beginning),
                                            request_.options.threads, progress_);
    known.beginning.reset();
    facts_.stages.push_back({"first pass", first_pass.seconds()});
    facts_.moments = found.moments;
    facts_.counts = found.counts;
    facts_.columns = found.columns;
    known.cloud = {static_cast<std::int64_t>(found.moments.count()), columns.weighted(),
                   columns.shaped()};
    setup = set_up_density(request_, facts_.moments, found.inner_bounds, known.ahead, found.shapes);
  }
  facts_.bandwidth = setup.bandwidth;
  facts_.kernel = setup.kernel;
  facts_.grid = setup.grid;
  require_countable(facts_.grid);
  facts_.precision = precision_for();
  if (source_.options.on_grid) source_.options.on_grid(facts_.grid);
  problem_ = {setup.kernel, setup.grid, one_pass_ ? 1 : facts_.moments.total_weight(),
              request_.tolerance, facts_.precision};
  if (known.cloud.shaped) problem_.min_width = request_.min_width;
  set_up_images(setup.reach);
}

void DensityWork::require_pilot_room() const {
  const double sample = host_sample_bytes(true, false) + kSumsSampleBytes + kSumsPointBytes;
  const double needed = sample * static_cast<double>(source_.cloud->points.size());
  if (needed <= static_cast<double>(source_.memory_limit())) return;
  throw Error(
      ErrorKind::resources,
      fmt::format("the density at the samples, by which widths adapt, takes {}",
                  format_bytes(needed)),
      {"memory_limit", fmt::format("raise `memory_limit` to {} or more, or leave out `adaptive`",
                                   format_bytes(needed))});
}

/// Gives the samples widths that follow from the density with the bandwidth of the set-up.
void DensityWork::adapt(DensitySetup& setup) {
  const StopWatch watch;
  AdaptiveSpec spec{setup.kernel, *request_.adaptive, request_.boundaries, setup.grid};
  if (!has_boundary(spec.boundaries)) spec.grid = {};
  if (!source_.adapted || source_.adapted_to != spec) {
    source_.adapted.reset();
    source_.places.forget_samples();  // memory of widths may be used again
    require_pilot_room();
    source_.adapted = adapted_cloud(source_.cloud, spec, request_.options.threads, progress_);
    source_.adapted_to = spec;
    facts_.stages.push_back({"pilot", watch.seconds()});
  }
  known_.cloud = source_.adapted->facts();
  setup.reach = source_.adapted->shapes.largest().x * setup.reach;
  facts_.adaptive = AdaptiveFacts{spec.alpha, source_.adapted->shapes.least(),
                                  source_.adapted->shapes.largest().x};
}

void DensityWork::set_up_images(Vec3 reach) {
  if (!has_boundary(request_.boundaries)) return;
  images_.emplace(request_.boundaries, problem_, reach);
  known_.cloud.weighted = known_.cloud.weighted || images_->divides();
}

/// Images that are made at a time: enough for an engine, and few beside a large cloud.
std::size_t DensityWork::images_a_part() const {
  constexpr std::int64_t kFewest = std::int64_t{1} << 18, kMost = std::int64_t{1} << 21;
  return static_cast<std::size_t>(std::clamp(known_.cloud.samples / 8, kFewest, kMost));
}

/// Doubles where floats have too few digits for the values, or none at all: kernels' heights follow
/// from the units of the coordinates.
Precision DensityWork::precision_for() const {
  constexpr double kLeast = 0x1p-120, kMost = 0x1p120;  // with room for what sums need
  const double height = facts_.kernel.amplitude();
  const double samples =
      one_pass_ ? static_cast<double>(kMany) : facts_.moments.effective_samples();
  const double weight = one_pass_ ? 1 : facts_.moments.total_weight();
  const double factor = request_.normalization == Normalization::count ? weight : 1;
  const bool fits =
      height / samples * std::min(1.0, factor) > kLeast && height * std::max(1.0, factor) < kMost;
  return fits ? request_.precision : Precision::f64;
}

void DensityWork::choose_engine() {
  if (request_.is_automatic()) {
    chosen_ = &automatic_choice();
  } else {
    const auto named = [&](const EngineOffer& row) {
      return row.entry == &engine_entry(request_.engine);
    };
    chosen_ = &*std::ranges::find_if(offers_, named);
  }
  facts_.engine = chosen_->entry->traits.name;
  facts_.device = chosen_->entry->traits.device;
  facts_.error_bound = chosen_->offer.error;
  engine_ = &source_.places.engine(facts_.engine, request_.options);
  require_served(*engine_, problem_, known_.cloud);
}

MemoryQuestion DensityWork::memory_question() const {
  const CloudFacts& cloud = known_.cloud;
  MemoryQuestion question{facts_.grid, facts_.precision, chosen_->offer.host,
                          chosen_->offer.device};
  question.samples = one_pass_ ? 0 : cloud.samples;
  question.weighted = cloud.weighted;
  question.shaped = cloud.shaped;
  if (images_) question.made_samples = ImageParts::held(images_a_part());
  if (images_ && images_->passes() > 1)
    question.host.value += 2 * static_cast<double>(value_bytes(facts_.precision));
  question.in_memory = source_.cloud != nullptr;
  question.use = use_;
  if (sink_ != nullptr) question.sink_bytes = sink_->held_bytes(facts_.grid, facts_.precision);
  question.on_device = facts_.device != Device::cpu;
  question.host_limit = source_.memory_limit();
  if (question.in_memory && source_.options.memory_limit == 0)
    question.host_limit += static_cast<std::int64_t>(  // what is available is so beside the cloud
        host_sample_bytes(cloud.weighted, cloud.shaped) * static_cast<double>(cloud.samples));
  if (question.on_device) {
    const std::int64_t free = engine_->free_memory() + source_.places.held_bytes(*engine_);
    const std::int64_t given = request_.options.device_memory;
    question.device_limit = given > 0 ? std::min(given, free) : free;
  }
  return question;
}

void DensityWork::cut() {
  MemoryQuestion question = memory_question();
  // Samples that were read leave no room beside them: they go, and are read again in parts.
  if (source_.cloud && source_.in_parts && !request_.adaptive && !fits_in_memory(question) &&
      io::first_read_once(source_.files.paths).empty()) {
    source_.places.forget_samples();
    source_.cloud.reset();
    question = memory_question();
  }
  facts_.plan = plan_memory(question);
  if (source_.options.on_plan) source_.options.on_plan(facts_.plan);
}

void DensityWork::make_parts() {
  // Samples that the faces change are loaded once they are changed.
  const bool keeps = !images_ || (source_.cloud && images_->keeps(facts_.moments.bounds()));
  std::unique_ptr<SampleParts> parts = source_.cloud ? cloud_parts(keeps) : file_parts();
  if (images_)
    parts = std::make_unique<ImageParts>(std::move(parts), *images_, *engine_, images_a_part(),
                                         keeps, progress_);
  parts_ = std::move(parts);
}

std::unique_ptr<SampleParts> DensityWork::cloud_parts(bool loads) {
  const SamplesView points = cloud()->points;
  const LoadedSamples* const loaded =
      loads ? &source_.places.loaded(*engine_, points, facts_.stages) : nullptr;
  return std::make_unique<MemoryParts>(points, loaded);
}

std::unique_ptr<SampleParts> DensityWork::file_parts() {
  auto parts =
      std::make_unique<FileParts>(source_.files, static_cast<std::size_t>(facts_.plan.part_samples),
                                  images_ ? nullptr : engine_, progress_);
  const bool once = facts_.plan.is_whole() && one_pass_ && (!images_ || images_->passes() == 1);
  if (!once) require_read_again(source_.files.paths);
  if (known_.beginning) parts->begin_with(std::move(*known_.beginning));
  const Moments& moments = facts_.moments;
  parts->expect(inputs_, one_pass_
                             ? std::nullopt
                             : std::optional(PassTotals{moments.count(), moments.total_weight(),
                                                        moments.bounds()}));
  if (one_pass_) choose_weight_unit(*parts);
  files_ = parts.get();
  return parts;
}

/// W is known after the last sample alone. The first samples tell its order, so that sums of floats
/// keep in range: a power of two, which rounds nothing.
void DensityWork::choose_weight_unit(FileParts& parts) {
  if (!known_.cloud.weighted) return;
  const double mean = parts.first_mean_weight();
  if (mean > 0 && std::isfinite(mean))
    problem_.total_weight = std::exp2(std::rint(std::log2(mean)));
}

double DensityWork::weight_scale() const {
  return facts_.moments.total_weight() / problem_.total_weight;
}

double DensityWork::factor_for(double mass) const {
  return normalization_factor(request_.normalization, mass, facts_.moments.total_weight()) /
         weight_scale();
}

/// True where no kernel reaches out of the box, as with default bounds.
bool DensityWork::all_inside() const {
  if (one_pass_ || known_.cloud.shaped) return false;
  constexpr double kRounding = 1e-12;
  const Box box = facts_.grid.bounds(), cloud = facts_.moments.bounds();
  const Vec3 half = facts_.kernel.half_extents(), slack = kRounding * box.extent();
  for (int axis = 0; axis < 3; ++axis) {
    const Boundary boundary = request_.boundaries[static_cast<std::size_t>(axis)];
    if (boundary == Boundary::periodic) continue;
    const double reach = (boundary == Boundary::none ? half[axis] : 0) - slack[axis];
    if (cloud.lower[axis] - reach < box.lower[axis] || cloud.upper[axis] + reach > box.upper[axis])
      return false;
  }
  return true;
}

/// The share of the mass inside the box, by the kernels and by the cells' sum of it, and what
/// follows from both.
void DensityWork::keep_mass(double sum) {
  facts_.sum_in_box = sum;
  facts_.mass_in_box =
      all_inside() ? 1 : std::min(1.0, facts_.in_box.weight / facts_.moments.total_weight());
  facts_.warnings = density_warnings(request_, facts_);
}

SlabSums DensityWork::start_sums() {
  const bool first = std::exchange(is_first_, false);
  const PassWishes wishes{first, first && one_pass_, first && !all_inside()};
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
    const Volume slab = values->take_volume();
    pool.give_back(std::move(values));
    if (facts_.precision == Precision::f32)
      put_slab<float>(slab, z, whole);
    else
      put_slab<double>(slab, z, whole);
  });
  return std::make_unique<HostValues>(std::move(whole));
}

Density DensityWork::compute() {
  prepare();
  Density density;
  std::unique_ptr<ValueBuffer> values = whole_values();
  keep_counts();
  const StopWatch summing;
  const ValueTotals totals = values->totals();
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
  if (one_pass_)
    require_overlap(facts_.moments.bounds(), facts_.kernel.half_extents(), facts_.grid,
                    request_.boundaries);
}

}  // namespace skde
