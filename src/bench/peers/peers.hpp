#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/case_check.hpp"
#include "bench/measure/engine_measurement.hpp"

namespace skde::bench {

/// What the values of a peer are next to the density of the engines.
enum class PeerValues {
  exact,    ///< the same: wrong where they are not
  inexact,  ///< known to be off it: its times stand beside its error
  others    ///< of another kernel: only its times compare
};

/// A program of others that estimates densities, which a script in Python runs by peer_run.py.
struct PeerEntry {
  std::string_view name, what, script, modules;  ///< modules that the script imports
  PeerValues values;
  bool is_program = false;  ///< of its own, at a path that the user names
};
inline constexpr std::array<PeerEntry, 3> kPeers{{
    {"sklearn", "KernelDensity", "sklearn_density.py", "numpy, sklearn.neighbors",
     PeerValues::exact},
    {"scipy", "gaussian_kde, another kernel: only its time compares", "scipy_density.py",
     "numpy, scipy.stats", PeerValues::others},
    {"mpdfestimator", "the S-KDE authors' program", "mpdfestimator_density.py", "numpy, scipy.io",
     PeerValues::inexact, true},
}};

/// A peer, and what runs it.
struct Peer {
  std::string name, python;   ///< of its entry; the interpreter
  std::string program{};      ///< path of the peer itself, where it is a program
  std::string unavailable{};  ///< why it cannot run here
};

/// Finds what runs the peers of these names, on `python` (find_python) and for the one that is a
/// program at the path `program`. Error(cancelled) where the progress says so.
std::vector<Peer> find_peers(const std::vector<std::string>& names, const std::string& python,
                             const std::string& program, const Progress& progress);

/// The row of a peer that was not measured.
Result blank_peer_result(const Peer& peer, const BenchmarkCase& wanted,
                         std::string_view experiment);

/// Measures the peer on the case as measure_engine() does an engine, and holds its values against
/// those of the others. Times are those that it takes to compute, without its start, reading and
/// writing. What cannot be measured is a result with its reason; Error(cancelled) where the user
/// stops.
Result measure_peer(const Peer& peer, const BenchmarkInput& input, std::string_view experiment,
                    const MeasurementSettings& settings, CaseCheck& check, Progress& progress);

}  // namespace skde::bench
