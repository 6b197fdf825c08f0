#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/benchmark_case.hpp"
#include "bench/measure/reference_cells.hpp"
#include "bench/results/results.hpp"
#include "core/report/progress.hpp"
#include "core/report/stage_times.hpp"
#include "engines/engine.hpp"

namespace skde::bench {

/// Values that are off the density by more than this share of the peak are wrong.
inline constexpr double kLargestError = 1e-3;

/// Compares the volumes of all methods on the first cloud of a case: with a reference in double at
/// some cells, and with each other at all cells.
class CaseCheck {
 public:
  /// Compares with the reference at `cells` cells. The input must outlive the check.
  CaseCheck(const BenchmarkInput& input, std::size_t cells) : input_(input), cells_(cells) {}

  struct Verdict {
    double error = 0;       ///< against the reference, as a share of the peak
    std::string complaint;  ///< why the values are wrong; empty if they are right
  };
  /// Judges the volume of `method`. The first right volume is kept for comparison with the others.
  /// Throws Error(cancelled) if the user cancels.
  Verdict judge(const std::string& method, Volume volume, const Progress& progress);
  /// Returns how far a volume is off the density, as a share of the peak. It is compared with the
  /// reference at some cells, and at all cells with the first right volume, if there is one.
  /// Returns infinity if a value is not finite.
  double error_of(const Volume& volume, const Progress& progress);

 private:
  const ReferenceCells& reference_for(const Volume& volume, const Progress& progress);

  const BenchmarkInput& input_;
  std::size_t cells_;
  std::optional<ReferenceCells> reference_;
  std::optional<Volume> witness_;
  std::string witness_method_;
};

/// Returns how many cells can be checked for this many samples without taking longer than the runs.
std::size_t checked_cells(std::uint64_t samples);

/// Name of the time that a run takes besides its stages: set-up, zeroing, launches.
inline constexpr std::string_view kRestStage = "rest";

/// Returns the stages of a run of `seconds` in total, with their work by the engine's model, and
/// the rest. A stage that the model does not know has only a time.
std::vector<StageRecord> stage_records(double seconds, const StageTimes& stages,
                                       const Engine& engine, const BenchmarkInput& input,
                                       Precision precision);

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
