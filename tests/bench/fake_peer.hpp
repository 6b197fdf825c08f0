#pragma once

#include <string>

#include "bench/peers/peers.hpp"
#include "support/temporary_folder.hpp"

namespace skde::test {

/// Writes a shell program that stands in for a peer's program, and returns its path in the folder.
std::string shell_program(const TemporaryFolder& folder, const std::string& name,
                          const std::string& commands);

/// Returns the Python interpreter that has the modules of mpdfestimator's script; the test fails if
/// there is none.
std::string peer_python();

/// Returns a case of 500 samples on 12^3 cells.
bench::BenchmarkCase small_peer_case();

/// Returns the density of a case, computed by an engine.
Volume density_of(const bench::BenchmarkInput& input);

/// Returns settings of one warm-up and two repetitions, with short time limits.
bench::MeasurementSettings quick_settings();

bench::Result measured_peer(const bench::Peer& peer,
                            const bench::BenchmarkCase& wanted = small_peer_case(),
                            const bench::MeasurementSettings& settings = quick_settings());

/// Returns whether the reason of the row's status contains `part`.
bool has(const bench::Result& row, const std::string& part);

}  // namespace skde::test
