#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/measure/benchmark_case.hpp"
#include "bench/measure/engine_measurement.hpp"
#include "bench/measure/refusal.hpp"
#include "core/volume.hpp"

namespace skde::bench {

/// What a peer did on a case.
struct PeerRuns {
  std::string made_by;          ///< its version, and how it ran
  std::optional<Volume> first;  ///< its density of the first cloud
  std::vector<double> seconds;  ///< of each repetition
};

/// Runs the script of `peer` ("sklearn", "scipy") on this interpreter. The refusal where it gives
/// no times; what it has done until then is in `runs`. Error(cancelled) where the progress says so.
std::optional<Refusal> run_python_peer(PeerRuns& runs, const std::string& peer,
                                       const std::string& interpreter, const BenchmarkInput& input,
                                       const MeasurementSettings& settings,
                                       const Progress& progress);

/// The same of the program of the S-KDE authors at this path.
std::optional<Refusal> run_mpdfestimator(PeerRuns& runs, const std::string& program,
                                         const BenchmarkInput& input,
                                         const MeasurementSettings& settings,
                                         const Progress& progress);

}  // namespace skde::bench
