#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace skde::service {

/// Memory of a worker after its last run, in bytes.
struct WorkerMemory {
  std::uint64_t samples = 0;       ///< of clouds in memory
  std::uint64_t device_used = 0;   ///< of its GPU, by all processes
  std::uint64_t device_total = 0;  ///< 0: no GPU
};

/// Counters of runs, for the metrics.
struct JobMetrics {
  std::uint64_t cache_hits = 0, cache_misses = 0, crashes = 0, runs = 0;
  double run_seconds = 0;
  std::map<std::string, double> stage_seconds;
  std::map<std::string, WorkerMemory> memory;  ///< by the role of the worker
};

}  // namespace skde::service
