#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/space/grid.hpp"
#include "engines/offer.hpp"

namespace skde {

struct GridAhead;
class SliceSink;

/// Bytes of host memory that a sample takes, and those that the program and its libraries take.
double host_sample_bytes(bool weighted, bool shaped);
inline constexpr std::int64_t kProgramBytes = std::int64_t{160} << 20;

/// Returns how many parts of a cloud are held at a time, for an engine on a device or for others.
constexpr int held_parts(bool on_device) { return on_device ? 3 : 2; }

/// What happens to the slabs in host memory.
enum class VolumeUse {
  whole,     ///< assembled in one volume
  streamed,  ///< each is released before the next one comes
  copied,    ///< each is copied, and the copies are kept
};

/// What a density is planned for, besides the request.
struct PlanOrders {
  VolumeUse use = VolumeUse::whole;
  const SliceSink* sink = nullptr;  ///< consumer of the slabs, with memory of its own; may be null
  /// True if the run follows at once, with the same progress. Sums that the bandwidth or the
  /// per-sample bandwidths depend on are then made, while a device starts and files are read.
  /// False: nothing is summed.
  bool runs = false;
  bool exact = false;  ///< only by an engine that approximates nothing
  /// GPUs tell their costs, too, although a CPU is done before they have started.
  bool asks_gpus = false;
};

/// What a density needs memory for, and the limits.
struct MemoryQuestion {
  Grid grid;
  Precision precision = Precision::f32;
  MemoryNeed host, device;  ///< of the engine
  std::int64_t samples = 0;
  bool weighted = false;
  bool shaped = false;
  /// Samples that are made during the run and held at a time, beside those of the cloud.
  double made_samples = 0;
  bool in_memory = true;  ///< the cloud is in memory, and stays there
  VolumeUse use = VolumeUse::whole;
  std::int64_t sink_bytes = 0;  ///< held by the consumer of the slabs, besides the slabs
  bool on_device = false;       ///< the engine's values are in the device's memory
  std::int64_t host_limit = 0, device_limit = 0;  ///< bytes that may be used in total
};

/// How a density is divided to fit into memory. It accounts for all memory of an estimate.
struct MemoryPlan {
  std::int64_t samples = 0;       ///< rows of the cloud; 0 if not known yet
  std::int64_t part_samples = 0;  ///< read at a time; 0 if the whole cloud is in memory
  std::int64_t slab_slices = 0;   ///< z-slices of the volume summed at a time
  std::int64_t slabs = 1;
  std::int64_t volume_bytes = 0;  ///< of the whole volume
  std::int64_t host_bytes = 0;    ///< the most that is held in host memory

  /// Returns whether the volume is summed as a whole, in one place.
  bool is_whole() const { return slabs == 1; }
  /// Describes the plan in one line, for people.
  std::string describe() const;
  friend bool operator==(const MemoryPlan&, const MemoryPlan&) = default;
};

/// Calls body(z, slices) for each slab of a plan.
template <class Body>
void for_each_slab(const MemoryPlan& plan, const Grid& grid, const Body& body) {
  for (std::int64_t z = 0; z < grid.dims[2]; z += plan.slab_slices)
    body(z, std::min(plan.slab_slices, grid.dims[2] - z));
}

/// Plans slabs as large as fit, then parts as large as fit beside them: up to about four million
/// samples, or sixteen million for an engine on a device. Throws Error(resources) if not even one
/// slice and a few samples fit. The error names the bytes needed and the parameter to change.
MemoryPlan plan_memory(const MemoryQuestion& question);

/// Checks the grid alone, before any sample is read. Throws what plan_memory throws if the grid is
/// too large.
void require_room(const GridAhead& ahead, Precision precision, VolumeUse use,
                  std::int64_t host_limit);

/// Returns why not even one slice and a few samples fit; empty if they fit.
std::string memory_shortage(const MemoryQuestion& question);

/// Returns whether a cloud of this many samples in memory leaves room for a plan.
bool fits_in_memory(MemoryQuestion question);

}  // namespace skde
