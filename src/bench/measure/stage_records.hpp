#pragma once

#include <string_view>
#include <vector>

#include "bench/measure/benchmark_case.hpp"
#include "bench/results/results.hpp"
#include "core/report/stage_times.hpp"
#include "engines/engine.hpp"

namespace skde::bench {

/// Name of the time that a run takes besides its stages: set-up, zeroing, launches.
inline constexpr std::string_view kRestStage = "rest";

/// Returns the stages of a run of `seconds` in total, with their work by the engine's model, and
/// the rest. A stage that the model does not know has only a time.
std::vector<StageRecord> stage_records(double seconds, const StageTimes& stages,
                                       const Engine& engine, const BenchmarkInput& input,
                                       Precision precision);

}  // namespace skde::bench
