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
  int warmups = 1;            ///< of a CPU engine; at least 1, as its values are checked
  int cuda_warmups = 3;       ///< of a CUDA engine
  double max_seconds = 60;    ///< limit for one run; longer ones are skipped
  double start_seconds = 60;  ///< further time for a peer to start, read and write
};

/// Measures the engine on the case: asks for its offer, warms up, checks the values, then times
/// every repetition. A repetition is set-up, zeroing and run, on loaded samples of the next of the
/// input's clouds. What cannot be measured gives a result with the reason. Throws Error(cancelled)
/// if the user cancels.
Result measure_engine(const std::string& name, const BenchmarkInput& input,
                      std::string_view experiment, const MeasurementSettings& settings,
                      CaseCheck& check, Progress& progress);

/// Returns the time of an empty run: one sample on 8^3 cells. Throws what the engine throws.
double empty_run_seconds(const std::string& name, const EngineOptions& options);

}  // namespace skde::bench
