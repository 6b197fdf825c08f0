#pragma once

#include <string>

#include "bench/results/results.hpp"

namespace skde::bench {

/// The machine that this program runs on, and how the program was built. `device` is the index of
/// the CUDA device that is described.
MachineRecord describe_machine(int device);

/// Now in UTC: "2026-01-31T12:00:00Z".
std::string utc_now();

}  // namespace skde::bench
