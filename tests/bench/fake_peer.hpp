#pragma once

#include <string>

#include "bench/peers/peers.hpp"
#include "support/temporary_folder.hpp"

namespace skde::test {

/// A program of the shell in the folder, which takes the place of a peer's; its path.
std::string shell_program(const TemporaryFolder& folder, const std::string& name,
                          const std::string& commands);

/// The interpreter of peers here, which has the modules of mpdfestimator's script; the tests fail
/// where there is none.
std::string peer_python();

/// A case of 500 samples on 12^3 cells.
bench::BenchmarkCase small_peer_case();

/// Its density, from an engine.
Volume density_of(const bench::BenchmarkInput& input);

/// One warm-up and two repetitions, with little patience.
bench::MeasurementSettings quick_settings();

bench::Result measured_peer(const bench::Peer& peer,
                            const bench::BenchmarkCase& wanted = small_peer_case(),
                            const bench::MeasurementSettings& settings = quick_settings());

/// True where the reason of its status has `part` in it.
bool has(const bench::Result& row, const std::string& part);

}  // namespace skde::test
