#pragma once

#include <cstdint>
#include <string>

#include "core/grid.hpp"
#include "engines/engine.hpp"

namespace skde {

/// How a density is cut to fit into memory.
struct MemoryPlan {
  std::int64_t samples = 0;       ///< of the cloud; 0 where nobody knows yet
  std::int64_t part_samples = 0;  ///< read at a time; 0: the whole cloud is in memory
  std::int64_t slab_slices = 0;   ///< z-slices of the volume that are summed at a time
  std::int64_t slabs = 1;
  std::int64_t volume_bytes = 0;  ///< of the whole volume, in host memory
  std::int64_t host_bytes = 0;    ///< what the parts and the volume take there at the most

  /// One line, for people.
  std::string describe() const;
};

/// Samples to read at a time within `limit` bytes of host memory that also hold the volume: as many
/// as fit, up to about four million. Error(resources) that names the bytes where not even few do.
std::int64_t samples_at_a_time(const Grid& grid, Precision precision, std::int64_t limit);

/// The plan for an engine and a grid; `part_samples` 0 where the cloud of `samples` is in memory.
/// Error(resources) where the engine's memory holds not even a slice.
MemoryPlan plan_memory(const Engine& engine, const Grid& grid, Precision precision,
                       std::int64_t samples, std::int64_t part_samples);

}  // namespace skde
