#pragma once

#include <string_view>
#include <vector>

#include "bench/measure/benchmark_case.hpp"
#include "bench/results/results.hpp"
#include "core/stage_times.hpp"

namespace skde::bench {

// The model of what a stage does, from the counts of the case: samples N, slices, rows and cells
// inside the kernels (updates), cells of the cropped boxes (evaluated), cells of the volume. Bytes
// are those that must cross the memory bus where caches hold all that they can: inputs are read
// once, results written once, a volume that is added to is read and written once. Operations are
// - "fma": fused multiply-adds, or another instruction in the place of one: 8 a cell where q is
//   evaluated, 3 a cell on a span of the CPU, 45 a row of cuda-span (README, "Bounds");
// - "coalesced atomics": atomic additions to neighbouring cells.

/// The name of what a run takes besides its stages: set-up, zeroing, launches.
inline constexpr std::string_view kRestStage = "rest";

/// The stages of a run of `seconds` in all with their work, and the rest. A stage that the model
/// does not know has times alone.
std::vector<StageRecord> stage_records(double seconds, const StageTimes& stages,
                                       const EngineTraits& engine, const BenchmarkInput& input,
                                       Precision precision);

/// The largest share of a ceiling of its device that the stage reaches, by bytes or operations, and
/// which: {"copy", 0.4}. The share is 0 where no ceiling is known.
struct CeilingShare {
  std::string_view ceiling;
  double share = 0;
};
CeilingShare ceiling_share(const StageRecord& stage, std::string_view device,
                           const std::vector<Ceiling>& ceilings);

}  // namespace skde::bench
