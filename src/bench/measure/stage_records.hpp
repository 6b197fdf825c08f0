#pragma once

#include <string_view>
#include <vector>

#include "bench/measure/benchmark_case.hpp"
#include "bench/results/results.hpp"
#include "core/report/stage_times.hpp"
#include "engines/engine.hpp"

namespace skde::bench {

/// The name of what a run takes besides its stages: set-up, zeroing, launches.
inline constexpr std::string_view kRestStage = "rest";

/// The stages of a run of `seconds` in all with their work by the engine's model, and the rest. A
/// stage that the model does not know has times alone.
std::vector<StageRecord> stage_records(double seconds, const StageTimes& stages,
                                       const Engine& engine, const BenchmarkInput& input,
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
