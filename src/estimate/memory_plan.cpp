#include "estimate/memory_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace skde {
namespace {

constexpr std::int64_t kMostAtATime = std::int64_t{1} << 22, kFewestAtATime = std::int64_t{1} << 12;
/// Host bytes of a sample while a cloud is streamed: the part in work and the one being read, and
/// what a CPU engine makes of the former.
constexpr std::int64_t kStreamedBytes = 2 * 32 + 64;
/// What the program and the libraries take besides.
constexpr std::int64_t kProgramBytes = std::int64_t{160} << 20;

}  // namespace

std::int64_t samples_at_a_time(const Grid& grid, Precision precision, std::int64_t limit) {
  const std::int64_t volume = grid.bytes(precision);
  const std::int64_t left = limit - volume - kProgramBytes;
  if (left < kFewestAtATime * kStreamedBytes)
    throw Error(ErrorKind::resources,
                fmt::format("a volume of {} and the samples do not fit into {}",
                            format_bytes(static_cast<double>(volume)),
                            format_bytes(static_cast<double>(limit))),
                {"memory_limit",
                 fmt::format("raise `memory_limit` to {} or more, or use smaller `dims`",
                             format_bytes(static_cast<double>(volume + kProgramBytes +
                                                              kFewestAtATime * kStreamedBytes)))});
  return std::min(kMostAtATime, left / kStreamedBytes);
}

MemoryPlan plan_memory(const Engine& engine, const Grid& grid, Precision precision,
                       std::int64_t samples, std::int64_t part_samples) {
  MemoryPlan plan;
  plan.samples = samples;
  plan.part_samples = part_samples;
  plan.volume_bytes = grid.bytes(precision);
  plan.host_bytes = plan.volume_bytes + kProgramBytes + part_samples * kStreamedBytes;
  const std::int64_t slice = grid.dims[0] * grid.dims[1] * value_bytes(precision);
  const std::int64_t fitting = engine.volume_capacity(part_samples > 0 ? part_samples : samples);
  if (fitting < slice)
    throw Error(ErrorKind::resources,
                fmt::format("not even a slice of the grid, {}, fits into the memory of the GPU "
                            "beside the samples",
                            format_bytes(static_cast<double>(slice))),
                {"device_memory", "use `engine=span`, smaller `dims` or a larger `device_memory`"});
  plan.slabs = fitting >= plan.volume_bytes ? 1 : plan.volume_bytes / fitting + 1;
  // Slabs of about one size, and none larger than what fits.
  plan.slab_slices = std::min((grid.dims[2] + plan.slabs - 1) / plan.slabs, fitting / slice);
  plan.slabs = (grid.dims[2] + plan.slab_slices - 1) / plan.slab_slices;
  return plan;
}

std::string MemoryPlan::describe() const {
  std::string text = part_samples == 0 ? "samples in memory"
                                       : fmt::format("samples read in parts of {}", part_samples);
  text += fmt::format(", volume of {}", format_bytes(static_cast<double>(volume_bytes)));
  if (slabs > 1) text += fmt::format(" in {} slabs of {} slices", slabs, slab_slices);
  if (part_samples > 0)
    text += fmt::format(", about {} of memory", format_bytes(static_cast<double>(host_bytes)));
  return text;
}

}  // namespace skde
