#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "bench/measure/engine_measurement.hpp"
#include "bench/measure/recorder.hpp"
#include "bench/peers/peers.hpp"

namespace skde::bench {

/// What an experiment does with each of its cases.
struct CasePlan {
  std::string experiment;
  std::vector<std::string> engines;
  std::vector<Peer> peers;
  MeasurementSettings measurement;
  std::size_t checked_cells = 0;  ///< 0: as many as can be checked in the time of the runs
};

/// Returns the names of all engines, in the order of their table.
std::vector<std::string> engine_names();

/// Measures and records the empty run of each engine that can run here.
void record_overheads(Recorder& recorder, const CasePlan& plan);

/// Measures all engines and peers on a case, and checks them against a reference and each other.
/// Records a result for each, even if the case does not fit in memory. Throws Error(cancelled) if
/// the user cancels.
void run_case(Recorder& recorder, const CasePlan& plan, const BenchmarkCase& wanted);

}  // namespace skde::bench
