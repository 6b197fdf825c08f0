#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <system_error>
#include <utility>

#include "core/error.hpp"
#include "core/stop_watch.hpp"
#include "estimate/density_work.hpp"

namespace skde {
namespace {

/// A cloud that is read in parts is a large one, if nobody has counted it yet.
constexpr std::int64_t kUnknownRows = 100000000;

/// Bytes of files from which it pays to read them in parts: memory for a cloud of that size takes
/// longer to be had, filled and given back than all the rest, on a GPU and with the span engine on
/// two cores alike, and parts of it are read and summed at once.
constexpr std::uintmax_t kLargeBytes = std::uintmax_t{1} << 30;

/// Bytes of all inputs together; of pipes, or of parts of files, nobody knows.
std::uintmax_t bytes_of(const std::vector<std::string>& inputs) {
  std::uintmax_t bytes = 0;
  for (const std::string& input : inputs) {
    std::error_code unknown;
    if (std::filesystem::is_regular_file(input, unknown))
      bytes += std::filesystem::file_size(input, unknown);
  }
  return bytes;
}

/// The first engine that the request may come to, and which runs on a device; null where there is
/// none.
const EngineEntry* device_engine(const DensityRequest& request) {
  for (const EngineEntry& entry : engine_table()) {
    const Device device = entry.traits.device;
    if (device == Device::cpu || (request.device && device != *request.device)) continue;
    if (!request.is_automatic() && entry.traits.name != request.engine) continue;
    if (entry.unavailable().empty()) return &entry;
  }
  return nullptr;
}

[[noreturn]] void throw_without_samples() {
  throw Error(ErrorKind::resources,
              "a bandwidth by evidence needs all samples in memory, and they do not fit",
              {"memory_limit", "raise `memory_limit`, or use `bandwidth=silverman`"});
}

}  // namespace

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

/// True where all samples need not be in memory, and a density comes sooner if they never are:
/// large files, of which records may be read twice where the kernel depends on them; texts take too
/// long for that.
bool DensityWork::prefers_parts(const GridAhead& ahead, const io::CloudStream& stream) const {
  const io::ColumnSelection& columns = source_.files.columns;
  const bool needs_all =
      request_.adaptive || columns.shaped() || goes_by_evidence(request_.bandwidth);
  const std::vector<std::string>& inputs = source_.files.paths;
  if (source_.options.keeps_samples || !source_.in_parts || needs_all ||
      bytes_of(inputs) < kLargeBytes || !io::first_read_once(inputs).empty())
    return false;
  const bool once = ahead.grid && has_fixed_kernel(request_);
  return once || (stream.reads_ahead() && stream.checked_rows() > 0);
}

/// A GPU takes a while to start, during which files can be read. What goes wrong is told by whoever
/// needs it.
void DensityWork::start_device() {
  const EngineEntry* const entry = device_engine(request_);
  if (entry == nullptr) return;
  const Engine& engine = source_.places.engine(std::string(entry->traits.name), request_.options);
  starting_ = std::async(std::launch::async, [&engine] {
    try {
      engine.free_memory();
    } catch (const Error&) {
      return;
    }
  });
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
  CloudBeginning beginning = begin_cloud(source_.files);
  if (volume <= kSlabShare * free && prefers_parts(known.ahead, *beginning.rest)) {
    known.beginning = std::move(beginning);
    return start_device();
  }
  if (use_ == VolumeUse::streamed) volume = std::min(volume, kSlabShare * free);
  const double room = free - volume;
  const StopWatch reading;
  CloudReading read =
      read_cloud(source_.files, std::move(beginning.rest), std::max(room, 0.0), progress_);
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
    const io::CloudStream& stream = *known.beginning->rest;
    if (stream.inputs_left() == 0) known.rows = static_cast<std::int64_t>(stream.checked_rows());
    known.cloud = {known.rows > 0 ? known.rows : kUnknownRows, columns.weighted(), false};
  } else if (source_.cloud) {
    facts_.moments = source_.cloud->moments;
    facts_.counts = source_.cloud->counts;
    facts_.columns = source_.cloud->columns;
    setup = set_up_density(request_, facts_.moments, source_.cloud->inner_bounds, known.ahead,
                           source_.cloud->shapes,
                           source_.bandwidth_by_evidence(request_, facts_.stages, progress_));
    if (request_.adaptive) {
      facts_.adaptive = source_.adapt(request_, setup, facts_.stages, progress_);
      known.cloud = source_.adapted->facts();
    }
  } else {
    if (goes_by_evidence(request_.bandwidth) && !columns.shaped()) throw_without_samples();
    require_read_again(source_.files.paths, source_.memory_limit());
    const StopWatch first_pass;
    const CloudMoments found = read_moments(source_.files, std::move(*known.beginning), progress_);
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
  facts_.reach_ratio = setup.reach_ratio;
  require_countable(facts_.grid);
  facts_.precision = precision_for();
  if (source_.options.on_grid) source_.options.on_grid(facts_.grid);
  const auto samples = static_cast<double>(known.cloud.samples);
  problem_ = {setup.kernel, setup.grid,
              one_pass_ ? std::exp2(std::ceil(std::log2(std::max(samples, 1.0))))
                        : facts_.moments.total_weight(),
              request_.tolerance, facts_.precision};
  if (known.cloud.shaped) problem_.min_width = facts_.min_width = request_.min_width;
  problem_.keep_negatives = request_.keep_negatives;
  problem_.samples = samples;
  reach_ = setup.reach;
  for (std::size_t a = 0; a < 3; ++a)
    if (const int axis = static_cast<int>(a); request_.boundaries[a] == Boundary::periodic)
      problem_.periods[axis] = static_cast<double>(facts_.grid.dims[a]) * facts_.grid.spacing[axis];
  known.cloud.weighted = known.cloud.weighted || divides(request_.boundaries);
  bound_shares();
}

/// How much weight there may be, of all samples with their images and of one of them. What one pass
/// does not know is taken to be up to so much more than what is known.
void DensityWork::bound_shares() {
  constexpr double kMoreInAll = 64, kMoreOfOne = 4096;
  Boundaries faces = request_.boundaries;
  std::ranges::replace(faces, Boundary::periodic, Boundary::none);
  const double growth = has_boundary(faces) && !known_.cloud.shaped
                            ? BoundaryImages(faces, problem_, reach_).growth()
                            : 1;
  problem_.whole_share = growth * (one_pass_ ? kMoreInAll : 1);
  const bool weighted =
      source_.cloud ? source_.cloud->points.weighted() : source_.files.columns.weighted();
  double largest = 1 / problem_.total_weight;
  if (weighted && one_pass_)
    largest *= kMoreOfOne;
  else if (weighted)  // no weight is above the root of the sum of their squares
    largest = 1 / std::sqrt(facts_.moments.effective_samples());
  problem_.largest_share = std::isfinite(largest) ? std::min(1.0, largest) * growth : growth;
}

std::optional<BoundaryImages> DensityWork::images_for(const Offer& offer) const {
  Boundaries boundaries = request_.boundaries;
  if (offer.wraps) std::ranges::replace(boundaries, Boundary::periodic, Boundary::none);
  if (!has_boundary(boundaries)) return std::nullopt;
  return BoundaryImages(boundaries, problem_, reach_);
}

/// Images that are made at a time: enough for an engine, and few beside a large cloud.
std::size_t DensityWork::images_a_part() const {
  constexpr std::int64_t kFewest = std::int64_t{1} << 18, kMost = std::int64_t{1} << 21;
  return static_cast<std::size_t>(std::clamp(known_.cloud.samples / 8, kFewest, kMost));
}

Precision DensityWork::precision_for() const {
  const double samples =
      one_pass_ ? static_cast<double>(kUnknownRows) : facts_.moments.effective_samples();
  const double weight = one_pass_ ? 1 : facts_.moments.total_weight();
  return precision_in_range(request_.precision, facts_.kernel, samples, weight,
                            request_.normalization);
}

}  // namespace skde
