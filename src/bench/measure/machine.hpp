#pragma once

#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// Describes the machine with this CUDA device, and how the program was built.
MachineRecord describe_machine(int device);

/// Measure the ceilings of the cores with `threads` threads (0: one a core), and those of the
/// device if there is one: see device_ceilings.hpp. Throws Error(resources) if only other devices
/// exist.
std::vector<Ceiling> measure_host_ceilings(int threads);
std::vector<Ceiling> measure_cuda_ceilings(int device);

}  // namespace skde::bench
