#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/benchmark_case.hpp"
#include "bench/measure/case_check.hpp"
#include "bench/measure/engine_measurement.hpp"
#include "bench/results/results.hpp"
#include "core/progress.hpp"

namespace skde::bench {

/// Programs of others that estimate densities: KernelDensity of scikit-learn, gaussian_kde of
/// scipy, and the program of the S-KDE authors.
inline constexpr std::array<std::string_view, 3> kPeerNames{"sklearn", "scipy", "mpdfestimator"};

/// A peer, and what runs it.
struct Peer {
  std::string name;
  std::string program;        ///< the Python interpreter, or the authors' program
  std::string unavailable{};  ///< why it cannot run here
};

/// Finds what runs the peers of these names. Those of Python run on `python`; where that is empty,
/// on python3 or /usr/bin/python3, the first one that has the module. Error(cancelled) where the
/// progress says so.
std::vector<Peer> find_peers(const std::vector<std::string>& names, const std::string& python,
                             const std::string& mpdfestimator, const Progress& progress);

/// The row of a peer that was not measured.
Result blank_peer_result(const Peer& peer, const BenchmarkCase& wanted,
                         std::string_view experiment);

/// Measures the peer on the case as measure_engine() does an engine: the same clouds in turn, the
/// same warm-ups and repetitions, within `settings.max_seconds`, and its values are held against
/// those of the others. Times are those that it takes to compute, without its start, reading and
/// writing. What cannot be measured is a result with its reason; Error(cancelled) is thrown where
/// the user stops.
Result measure_peer(const Peer& peer, const BenchmarkInput& input, std::string_view experiment,
                    const MeasurementSettings& settings, CaseCheck& check, Progress& progress);

}  // namespace skde::bench
