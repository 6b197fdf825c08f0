#include "estimate/density_work.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/error.hpp"
#include "core/host_memory.hpp"
#include "core/stop_watch.hpp"
#include "core/thread_room.hpp"
#include "engines/cpu/host_values.hpp"
#include "estimate/density_warnings.hpp"
#include "estimate/volume_mass.hpp"

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

/// Calls body(z, slices) for the slabs of a plan.
template <class Body>
void for_each_slab(const MemoryPlan& plan, const Grid& grid, const Body& body) {
  for (std::int64_t z = 0; z < grid.dims[2]; z += plan.slab_slices)
    body(z, std::min(plan.slab_slices, grid.dims[2] - z));
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
  known_ = look_at_samples();
  set_up();
  offers_ = engine_offers(problem_, known_.cloud, request_.options);
}

void DensityWork::prepare() {
  choose_engine();
  make_parts();
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
  if (known.cloud.shaped) problem_.min_width = facts_.min_width = request_.min_width;
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

void DensityWork::make_parts() {
  if (source_.cloud) {
    const SamplesView points = source_.cloud->points;
    const LoadedSamples& loaded = source_.places.loaded(*engine_, points, facts_.stages);
    parts_ = std::make_unique<MemoryParts>(points, loaded);
    return;
  }
  auto parts = std::make_unique<FileParts>(
      source_.files, static_cast<std::size_t>(facts_.plan.part_samples), engine_, progress_);
  if (!facts_.plan.is_whole() || !one_pass_) require_read_again(source_.files.paths);
  if (known_.beginning) parts->begin_with(std::move(*known_.beginning));
  const Moments& moments = facts_.moments;
  parts->expect(inputs_, one_pass_
                             ? std::nullopt
                             : std::optional(PassTotals{moments.count(), moments.total_weight(),
                                                        moments.bounds()}));
  if (one_pass_) choose_weight_unit(*parts);
  parts_ = std::move(parts);
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
  for (int axis = 0; axis < 3; ++axis)
    if (cloud.lower[axis] - half[axis] < box.lower[axis] - slack[axis] ||
        cloud.upper[axis] + half[axis] > box.upper[axis] + slack[axis])
      return false;
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
  if (const auto* const files = dynamic_cast<const FileParts*>(parts_.get())) {
    facts_.counts = files->counts();
    facts_.columns = files->columns();
  }
  if (one_pass_)
    require_overlap(facts_.moments.bounds(), facts_.kernel.half_extents(), facts_.grid);
}

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
  keep_mass(timed_stage(facts_.stages, "mass",
                        [&] { return volume_mass(volume, progress_) / weight_scale(); }));
  const double factor = factor_for(facts_.sum_in_box);
  facts_.peak = volume.maximum() * factor;
  require_in_range(facts_.peak, facts_.precision);
  if (factor != 1) volume.scale(factor);
  sink.begin(facts_);
  sink.take(0, volume, progress_);
  sink.finish(facts_, progress_);
}

/// The mass inside the box, which values that integrate to 1 over it need to be known first: all
/// slabs are summed once more.
double DensityWork::mass_of_slabs() {
  double mass = 0;
  SlabSums sums = start_sums();
  for_each_slab(facts_.plan, facts_.grid, [&](std::int64_t z, std::int64_t slices) {
    mass += take_slab(sums, z, slices).mass();
  });
  return mass / weight_scale();
}

void DensityWork::stream_slabs(SliceSink& sink) {
  const bool mass_first = request_.normalization == Normalization::box;
  const double mass = mass_first ? mass_of_slabs() : 1;
  SlabSums sums = start_sums();
  SilentProgress taking(progress_);  // the stage is that of the sums, of all slabs together
  double found = 0;
  for_each_slab(facts_.plan, facts_.grid, [&](std::int64_t z, std::int64_t slices) {
    Volume slab = take_slab(sums, z, slices);
    if (z == 0) {
      keep_counts();
      sink.begin(facts_);
    }
    found += slab.mass() / weight_scale();
    const double factor = factor_for(mass);
    facts_.peak = std::max(facts_.peak, slab.maximum() * factor);
    if (facts_.peak > 1) require_in_range(facts_.peak, facts_.precision);
    if (factor != 1) slab.scale(factor);
    sink.take(z, slab, taking);
  });
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
