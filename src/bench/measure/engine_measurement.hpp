#pragma once

#include <string>

#include "bench/measure/benchmark_case.hpp"
#include "bench/measure/case_check.hpp"
#include "bench/results/results.hpp"
#include "core/report/progress.hpp"

namespace skde::bench {

/// How engines are measured.
struct MeasurementSettings {
  EngineOptions options;
  Precision precision = Precision::f32;
  int repetitions = 3;
  int warmups = 1;            ///< of a CPU engine; at least 1, whose values are checked
  int cuda_warmups = 3;       ///< of a CUDA engine
  double max_seconds = 60;    ///< of one run; what would take longer is skipped
  double start_seconds = 60;  ///< that a peer may take besides, to start, to read and to write
};

/// Measures the engine on the case: asks for its offer, warms up, checks the values, then times
/// every repetition: set-up, zeroing and run, on samples that are loaded. A repetition takes the
/// next of the input's clouds. What cannot be measured is a result with its reason;
/// Error(cancelled) is thrown where the user stops.
Result measure_engine(const std::string& name, const BenchmarkInput& input,
                      std::string_view experiment, const MeasurementSettings& settings,
                      CaseCheck& check, Progress& progress);

/// The time of a run that has nothing to do but start and end: one sample on 8^3 cells. Throws what
/// the engine throws.
double empty_run_seconds(const std::string& name, const EngineOptions& options);

}  // namespace skde::bench
