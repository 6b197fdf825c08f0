#include <algorithm>
#include <future>
#include <utility>

#include "core/report/error.hpp"
#include "estimate/plan/block_choice.hpp"
#include "estimate/plan/planned_parts.hpp"
#include "estimate/plan/planning.hpp"
#include "estimate/read/error_probe.hpp"
#include "system/stop_watch.hpp"

// Reads samples for a plan, and ahead of its run.
namespace skde {
namespace {

/// Size of files from which reading in parts pays off. Memory for a cloud of that size takes longer
/// to allocate, fill and free than everything else, both on a GPU and with the span engine on two
/// cores. Parts, in contrast, are read and summed at the same time.
constexpr std::uintmax_t kLargeBytes = std::uintmax_t{1} << 30;

/// Returns the first engine that the request may use and that runs on a device; null if there is
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

/// Returns whether the samples need not all be in memory, and a density comes sooner if they never
/// are. This holds for large files. If the kernel depends on the samples, only binary records
/// qualify: reading text twice takes too long.
bool prefers_parts(const Planning& planning) {
  const CloudSource& source = planning.source;
  const DensityRequest& request = planning.plan.request;
  const io::ColumnSelection& columns = source.files.columns;
  const bool needs_all =
      needs_all_samples(source, request) || columns.shaped() || is_data_driven(request.bandwidth);
  const std::vector<std::string>& inputs = source.files.paths;
  if (source.options.keeps_samples || !source.in_parts || needs_all ||
      io::file_bytes(inputs) < kLargeBytes || !io::first_read_once(inputs).empty())
    return false;
  const io::CloudStream& stream = *source.beginning->rest;
  const bool once = planning.ahead.grid && has_fixed_kernel(request);
  return once || (stream.reads_ahead() && stream.checked_rows() > 0);
}

/// Starts a GPU, which takes a while; files can be read meanwhile. Errors are reported by the code
/// that uses the GPU later.
void start_device(Planning& planning) {
  const DensityRequest& request = planning.plan.request;
  const EngineEntry* const entry = device_engine(request);
  if (entry == nullptr) return;
  SessionEngines& engines = planning.source.engines;
  const Engine& engine = engines.named(std::string(entry->traits.name), request.options);
  planning.source.starting = std::async(std::launch::async, [&engine] {
    try {
      engine.free_memory();
    } catch (const Error&) {
      return;
    }
  });
}

/// Returns the bytes of the volume if its cells are known before the kernels are; otherwise 0.
double volume_bytes_ahead(const Planning& planning) {
  if (!planning.ahead.dims) return 0;
  double bytes = static_cast<double>(value_bytes(planning.plan.request.precision));
  for (const std::int64_t cells : *planning.ahead.dims) bytes *= static_cast<double>(cells);
  return bytes;
}

/// Returns the offer that is chosen unless memory falls short; null if there is none.
const EngineOffer* likely_choice(const Planning& planning) {
  const DensityPlan& plan = planning.plan;
  if (plan.request.is_automatic())
    return ranked_offers(plan.offers, plan.request.tolerance, wish_of(planning)).front();
  const EngineOffer& named = offer_of(plan.offers, plan.request.engine);
  return named.offer.serves() ? &named : nullptr;
}

/// Returns whether a density needs only the samples that reach its box, once the moments of all are
/// known. With `normalize=box` the mass of all kernels in the box decides the values.
bool may_skip_samples(const Planning& planning) {
  const CloudSource& source = planning.source;
  const DensityRequest& request = planning.plan.request;
  return planning.uses_index && !source.options.keeps_samples && source.in_parts &&
         (request.grid.bounds || request.like) && !has_boundary(request.boundaries) &&
         !source.files.columns.categorised() && !request.has_pilot() &&
         !is_data_driven(request.bandwidth) && request.normalization != Normalization::box;
}

/// Looks for an index that may serve the request.
bool find_index(Planning& planning) {
  CloudSource& source = planning.source;
  source.index.reset();
  if (!may_skip_samples(planning)) return false;
  return source.find_index(planning.plan.request.bandwidth, planning.plan.index_ignored);
}

}  // namespace

bool is_in_memory(const Planning& planning) {
  return planning.source.cloud != nullptr || (planning.source.index && planning.would_be_held);
}

/// Samples of the blocks are held in memory as a whole, whether or not the cloud is divided.
bool choose_blocks(Planning& planning) {
  DensityPlan& plan = planning.plan;
  const Offer& offer = offer_of(plan.offers, plan.engine).offer;
  if (!offer.reach) return false;
  Vec3 reach = *offer.reach;
  const bool is_measured =
      engine_entry(plan.engine).traits.approximates || !plan.request.kernel->is_bounded();
  const Vec3 measured = is_measured ? ErrorProbe::reach(plan.problem) : plan.reach;
  for (int axis = 0; axis < 3; ++axis)
    reach[axis] = std::max({reach[axis], measured[axis], plan.reach[axis]});
  BlockChoice choice = choose_blocks(
      *planning.source.index, plan.grid.bounds(), reach,
      static_cast<std::uint64_t>(std::max<std::int64_t>(plan.memory.part_samples, 0)));
  if (choice.skipped_samples == 0) return false;
  if (plan.memory.part_samples > 0) {  // the blocks are held in place of the parts
    const double sample = host_sample_bytes(false, false);
    const double parts = sample * held_parts(false) * static_cast<double>(plan.memory.part_samples);
    plan.memory.host_bytes +=
        static_cast<std::int64_t>(sample * static_cast<double>(choice.read_samples()) - parts);
    if (plan.memory.host_bytes > planning.source.memory_limit()) return false;
  }
  plan.blocks = std::move(choice);
  plan.columns = planning.source.beginning->rest->columns();
  return true;
}

/// Slabs leave most of the room to the samples: those that are not kept are read again for each
/// slab.
void read_samples(Planning& planning) {
  constexpr double kSlabShare = 0.25;
  CloudSource& source = planning.source;
  const double free = static_cast<double>(source.memory_limit() - kProgramBytes);
  double volume = volume_bytes_ahead(planning);
  if (!source.beginning) {
    source.stamps = io::InputStamps(source.files.paths);  // before anything is read
    source.beginning = begin_cloud(source.files);
  }
  if (source.beginning->first.size() > 0) return;  // an earlier plan found them too large
  const bool in_parts = volume <= kSlabShare * free && prefers_parts(planning);
  if (planning.plan.use == VolumeUse::streamed) volume = std::min(volume, kSlabShare * free);
  const double room = std::max(free - volume, 0.0);
  if (find_index(planning)) {
    const double all = host_sample_bytes(false, false) *
                       static_cast<double>(source.beginning->rest->checked_rows());
    planning.would_be_held = !in_parts && all <= room;
    return;
  }
  if (in_parts) {
    if (planning.orders.runs) start_device(planning);
    return;
  }
  constexpr std::uint64_t kMany = 8'000'000;  // bytes; moves and pairs of fewer are quick
  const DensityRequest& request = planning.plan.request;
  if (planning.orders.runs && (request.sharpen || sums_pairs(request.data_driven())) &&
      io::file_bytes(source.files.paths) >= kMany)
    start_device(planning);  // while the samples are read and h is chosen
  const StopWatch reading;
  CloudBeginning beginning = *std::exchange(source.beginning, {});
  CloudReading read = read_cloud(source.files, std::move(beginning.rest), room, planning.progress);
  source.cloud = std::move(read.cloud);
  source.beginning = std::move(read.beginning);
  if (source.cloud) source.stages.push_back({"reading", reading.seconds()});
}

/// The size of a part depends on the engine and on the memory of its device, which takes a while to
/// start. Files are read from their beginning again if the guess proves wrong.
void read_ahead(Planning& planning) {
  CloudSource& source = planning.source;
  const DensityPlan& plan = planning.plan;
  if (source.index) return;  // what is read follows from the engine
  const bool is_untouched = source.beginning && source.beginning->first.size() == 0;
  if (!is_untouched || !io::first_read_once(source.files.paths).empty()) return;
  const EngineOffer* const likely = likely_choice(planning);
  if (likely == nullptr || has_boundary(plan.boundaries)) return;
  const MemoryQuestion question = memory_question(planning, *likely, nullptr, false);
  if (!memory_shortage(question).empty()) return;
  planning.host_limit = question.host_limit;
  const std::string name(likely->entry->traits.name);
  Engine& engine = source.engines.named(name, plan.request.options);
  source.started = start_parts(plan);
  source.started->parts =
      open_parts(source, plan, source.started->look, plan_memory(question).part_samples, &engine,
                 planning.progress);
  source.started->parts->read_ahead();
}

}  // namespace skde
