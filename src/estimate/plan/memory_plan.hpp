#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/grid.hpp"
#include "engines/offer.hpp"

namespace skde {

struct GridAhead;

/// Bytes of host memory of a sample in memory, and of what the program and its libraries take.
double host_sample_bytes(bool weighted, bool shaped);
inline constexpr std::int64_t kProgramBytes = std::int64_t{160} << 20;

/// What becomes of the slabs in host memory.
enum class VolumeUse {
  whole,     ///< they are put together in one volume
  streamed,  ///< each is gone before the next one comes
  copied,    ///< each is copied, and the copies stay
};

/// What a density needs memory for, and how much there is.
struct MemoryQuestion {
  Grid grid;
  Precision precision = Precision::f32;
  MemoryNeed host, device;  ///< of the engine
  std::int64_t samples = 0;
  bool weighted = false;
  bool shaped = false;
  /// Of samples that are made on the way and held at a time, beside those of the cloud.
  double made_samples = 0;
  bool in_memory = true;  ///< the cloud is, and stays so
  VolumeUse use = VolumeUse::whole;
  std::int64_t sink_bytes = 0;  ///< that whoever takes the slabs holds besides them
  bool on_device = false;       ///< the engine's values are in the device's memory
  std::int64_t host_limit = 0, device_limit = 0;  ///< bytes that may be used in all
};

/// How a density is cut to fit into memory. All memory of an estimate is accounted for here.
struct MemoryPlan {
  std::int64_t samples = 0;       ///< rows of the cloud; 0 where nobody knows yet
  std::int64_t part_samples = 0;  ///< read at a time; 0: the whole cloud is in memory
  std::int64_t slab_slices = 0;   ///< z-slices of the volume that are summed at a time
  std::int64_t slabs = 1;
  std::int64_t volume_bytes = 0;  ///< of the whole volume
  std::int64_t host_bytes = 0;    ///< what is held in host memory at the most

  /// The volume exists as a whole in one place.
  bool is_whole() const { return slabs == 1; }
  /// One line, for people.
  std::string describe() const;
  friend bool operator==(const MemoryPlan&, const MemoryPlan&) = default;
};

/// Calls body(z, slices) for the slabs of a plan.
template <class Body>
void for_each_slab(const MemoryPlan& plan, const Grid& grid, const Body& body) {
  for (std::int64_t z = 0; z < grid.dims[2]; z += plan.slab_slices)
    body(z, std::min(plan.slab_slices, grid.dims[2] - z));
}

/// Slabs as large as fit, then parts as large as fit beside them, up to about four million samples,
/// or sixteen for an engine on a device.
/// Error(resources) that names the bytes needed and the parameter to change where not even a slice
/// and a few samples fit.
MemoryPlan plan_memory(const MemoryQuestion& question);

/// Before any sample is read: throws what plan_memory throws where the grid alone is too large.
void require_room(const GridAhead& ahead, Precision precision, VolumeUse use,
                  std::int64_t host_limit);

/// Why not even a slice and a few samples fit; empty where they do.
std::string memory_shortage(const MemoryQuestion& question);

/// True where a cloud of so many samples in memory leaves room for a plan.
bool fits_in_memory(MemoryQuestion question);

}  // namespace skde
