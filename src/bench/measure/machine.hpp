#pragma once

#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// The machine that this program runs on with this CUDA device, and how the program was built.
MachineRecord describe_machine(int device);

/// What the cores reach on `threads` threads (0: one a core), and the device where there is one:
/// host_ceilings.hpp, device_ceilings.hpp. Error(resources) where there are other devices alone.
std::vector<Ceiling> measure_host_ceilings(int threads);
std::vector<Ceiling> measure_cuda_ceilings(int device);

}  // namespace skde::bench
