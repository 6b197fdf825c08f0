#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "bench/measure/engine_measurement.hpp"
#include "core/report/progress.hpp"
#include "io/bytes/child_process.hpp"
#include "io/bytes/scratch_file.hpp"

namespace skde::bench {

/// A Python interpreter, or why there is none.
struct Python {
  std::string path;
  std::string problem;  ///< empty if it can be used
};

/// Returns the first interpreter that can import the modules ("numpy, scipy.stats"): `named` or, if
/// that is empty, python3 and /usr/bin/python3. Throws Error(cancelled) if the user cancels.
Python find_python(const std::string& named, std::string_view modules, const Progress& progress);

/// Runs one of this program's scripts (embedded_scripts.hpp) in a folder that receives all of them.
/// If it prints nothing for `patience` seconds, it is ended with all processes that it started.
/// Throws Error(cancelled) if the user cancels.
io::ProgramEnd run_script(const std::string& python, const io::ScratchFolder& folder,
                          std::string_view script, const std::vector<std::string>& arguments,
                          double patience, const Progress& progress, const io::TakeLine& take_line);

/// How the values of a peer relate to the density of the engines.
enum class PeerValues {
  exact,    ///< the same; any difference is wrong
  inexact,  ///< known to differ: its times are shown with its error
  others    ///< of another kernel: only its times are comparable
};

/// A density estimator by others. A Python script runs it by means of peer_run.py.
struct PeerEntry {
  std::string_view name, what, script, modules;  ///< modules that the script imports
  PeerValues values;
  bool is_program = false;  ///< a program of its own, at a path given by the user
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
  std::string name, python;   ///< name of its entry; the interpreter
  std::string program{};      ///< path of the peer itself, if it is a program
  std::string unavailable{};  ///< why it cannot run here
};

/// Finds what runs the peers with these names: `python` (see find_python), and `program` for the
/// peer that is a program. Throws Error(cancelled) if the user cancels.
std::vector<Peer> find_peers(const std::vector<std::string>& names, const std::string& python,
                             const std::string& program, const Progress& progress);

/// Returns a row for a peer that has not been measured.
Result blank_peer_result(const Peer& peer, const BenchmarkCase& wanted,
                         std::string_view experiment);

/// Measures the peer on the case as measure_engine() does an engine, and compares its values with
/// the others. Times are those of its computation, without start, reading and writing. What cannot
/// be measured gives a result with the reason. Throws Error(cancelled) if the user cancels.
Result measure_peer(const Peer& peer, const BenchmarkInput& input, std::string_view experiment,
                    const MeasurementSettings& settings, CaseCheck& check, Progress& progress);

}  // namespace skde::bench
