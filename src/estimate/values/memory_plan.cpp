#include "estimate/values/memory_plan.hpp"

#include <fmt/core.h>

#include "core/cloud/moments.hpp"
#include "core/report/error.hpp"
#include "estimate/values/density_setup.hpp"

namespace skde {
namespace {

constexpr std::int64_t kFewestAtATime = std::int64_t{1} << 16;
/// Larger parts are no faster; a GPU needs more samples to be busy, and sorts more of them at once.
constexpr std::int64_t kMostAtATime = std::int64_t{1} << 22, kMostOnDevice = std::int64_t{1} << 24;
/// Parts consist of whole blocks, so that their moments add up bit by bit to those of the cloud.
constexpr std::int64_t kBlock = static_cast<std::int64_t>(Moments::kBlock);
/// Slabs leave room for a part of this size, even if a smaller part would need fewer slabs.
constexpr std::int64_t kHandyPart = std::int64_t{1} << 18;

double slice_bytes(const MemoryQuestion& q) {
  return static_cast<double>(q.grid.dims[0]) * static_cast<double>(q.grid.dims[1]) *
         static_cast<double>(value_bytes(q.precision));
}

std::int64_t most_samples(const MemoryQuestion& q) {
  return q.on_device ? kMostOnDevice : kMostAtATime;
}

/// Returns the samples in host memory for parts of this size.
double held_samples(const MemoryQuestion& q, std::int64_t part) {
  return static_cast<double>(q.in_memory ? q.samples : held_parts(q.on_device) * part);
}

double volume_bytes(const MemoryQuestion& q) {
  return slice_bytes(q) * static_cast<double>(q.grid.dims[2]);
}

/// Returns the bytes of a need for parts of this many samples and slabs of this many slices.
double needed(const MemoryNeed& need, const MemoryQuestion& q, std::int64_t part,
              std::int64_t slices) {
  const auto samples = static_cast<double>(part);
  const double loaded = q.in_memory ? samples : 2 * samples;  // one is read while one is summed
  const double values =
      slice_bytes(q) / static_cast<double>(value_bytes(q.precision)) * static_cast<double>(slices);
  return need.bytes(loaded + q.made_samples, std::max(samples, q.made_samples), values);
}

double host_bytes(const MemoryQuestion& q, std::int64_t part, std::int64_t slices) {
  const double slab = slice_bytes(q) * static_cast<double>(slices);
  const bool whole = slices == q.grid.dims[2];
  const bool twice = q.use == VolumeUse::copied || (q.use == VolumeUse::whole && !whole);
  const double values = twice ? volume_bytes(q) + slab : slab;
  const double cloud =
      host_sample_bytes(q.weighted, q.shaped) * (q.made_samples + held_samples(q, part));
  return static_cast<double>(kProgramBytes) + static_cast<double>(q.sink_bytes) + cloud + values +
         needed(q.host, q, part, slices);
}

bool fits(const MemoryQuestion& q, std::int64_t part, std::int64_t slices) {
  return host_bytes(q, part, slices) <= static_cast<double>(q.host_limit) &&
         (!q.on_device || needed(q.device, q, part, slices) <= static_cast<double>(q.device_limit));
}

/// Returns the largest number in [least, most] for which `good` holds. It must hold for `least`.
template <class Good>
std::int64_t largest(std::int64_t least, std::int64_t most, const Good& good) {
  while (least < most) {
    const std::int64_t middle = least + (most - least + 1) / 2;
    if (good(middle))
      least = middle;
    else
      most = middle - 1;
  }
  return least;
}

std::int64_t known_samples(const MemoryQuestion& q) {
  return q.samples > 0 ? q.samples : most_samples(q);
}

/// Returns the fewest samples that a plan may read at a time.
std::int64_t fewest_samples(const MemoryQuestion& q) {
  return q.in_memory ? q.samples : std::min(kFewestAtATime, known_samples(q));
}

[[noreturn]] void throw_too_little(const MemoryQuestion& q, std::int64_t part) {
  const double host = host_bytes(q, part, 1);
  if (host > static_cast<double>(q.host_limit)) {
    const double picture = static_cast<double>(q.sink_bytes);
    if (picture > 0 && host - picture <= static_cast<double>(q.host_limit))
      throw Error(
          ErrorKind::resources,
          fmt::format("the projections of {} x {} x {} cells need {}, which does not fit into {} "
                      "beside the volume and the samples",
                      q.grid.dims[0], q.grid.dims[1], q.grid.dims[2], format_bytes(picture),
                      format_bytes(static_cast<double>(q.host_limit))),
          {"memory_limit",
           fmt::format(
               "raise `memory_limit` to {} or more, use smaller `dims`, or leave out `picture`",
               format_bytes(host))});
    throw Error(
        ErrorKind::resources,
        fmt::format(
            "a volume of {} x {} x {} cells needs {}, which does not fit into {} with the samples",
            q.grid.dims[0], q.grid.dims[1], q.grid.dims[2], format_bytes(volume_bytes(q)),
            format_bytes(static_cast<double>(q.host_limit))),
        {"memory_limit", fmt::format("raise `memory_limit` to {} or more, or use smaller `dims`",
                                     format_bytes(host))});
  }
  throw Error(
      ErrorKind::resources,
      fmt::format(
          "one slice of the grid needs {}, which does not fit into GPU memory beside the samples",
          format_bytes(slice_bytes(q))),
      {"device_memory", "use a CPU `engine`, smaller `dims` or a larger `device_memory`"});
}

}  // namespace

double host_sample_bytes(bool weighted, bool shaped) {
  return (weighted ? 32 : 24) + (shaped ? 48 : 0);
}

MemoryPlan plan_memory(const MemoryQuestion& q) {
  require_countable(q.grid);
  const std::int64_t known = known_samples(q), fewest = fewest_samples(q);
  if (!fits(q, fewest, 1)) throw_too_little(q, fewest);
  const std::int64_t handy = std::min(kHandyPart, known);
  const std::int64_t beside = q.in_memory ? q.samples : fits(q, handy, 1) ? handy : fewest;
  const std::int64_t all = q.grid.dims[2];
  const auto slab_fits = [&](std::int64_t slices) { return fits(q, beside, slices); };
  MemoryPlan plan;
  plan.samples = q.samples;
  plan.volume_bytes = static_cast<std::int64_t>(volume_bytes(q));
  // A whole volume needs no second volume to assemble it in, so it may fit even if less does not.
  const std::int64_t most = slab_fits(all) ? all : largest(1, all, slab_fits);
  plan.slabs = (all + most - 1) / most;
  plan.slab_slices = (all + plan.slabs - 1) / plan.slabs;  // slabs of nearly equal size
  plan.slabs = (all + plan.slab_slices - 1) / plan.slab_slices;
  std::int64_t part = q.samples;
  if (!q.in_memory) {
    part = largest(beside, std::min(most_samples(q), known),
                   [&](std::int64_t n) { return fits(q, n, plan.slab_slices); });
    if (part < known) part = std::max(part / kBlock * kBlock, beside);
    plan.part_samples = part;
  }
  plan.host_bytes = static_cast<std::int64_t>(host_bytes(q, part, plan.slab_slices));
  return plan;
}

void require_room(const GridAhead& ahead, Precision precision, VolumeUse use,
                  std::int64_t host_limit) {
  if (!ahead.dims) return;
  MemoryQuestion question;
  question.grid.dims = *ahead.dims;
  question.precision = precision;
  question.use = use;
  question.host_limit = host_limit;
  plan_memory(question);
}

std::string memory_shortage(const MemoryQuestion& q) {
  const std::int64_t fewest = fewest_samples(q);
  if (fits(q, fewest, 1)) return "";
  const double host = host_bytes(q, fewest, 1), host_limit = static_cast<double>(q.host_limit);
  if (host > host_limit)
    return fmt::format("it needs {} of memory, but may use only {}", format_bytes(host),
                       format_bytes(host_limit));
  return fmt::format("it needs {} of GPU memory, but may use only {}",
                     format_bytes(needed(q.device, q, fewest, 1)),
                     format_bytes(static_cast<double>(q.device_limit)));
}

bool fits_in_memory(MemoryQuestion question) {
  question.in_memory = true;
  return fits(question, question.samples, 1);
}

std::string MemoryPlan::describe() const {
  std::string text = part_samples == 0 ? "samples in memory"
                                       : fmt::format("samples read in parts of {}", part_samples);
  text += fmt::format(", volume of {}", format_bytes(static_cast<double>(volume_bytes)));
  if (slabs > 1) text += fmt::format(" in {} slabs of {} slices", slabs, slab_slices);
  if (part_samples > 0 || slabs > 1)
    text += fmt::format(", about {} of memory", format_bytes(static_cast<double>(host_bytes)));
  return text;
}

}  // namespace skde
