#pragma once

#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// The machine that this program runs on with this CUDA device, and how the program was built.
MachineRecord describe_machine(int device);
/// Fills in GPU, its memory, driver and CUDA version; leaves "none" where there is no such GPU.
void describe_gpu(int device, MachineRecord& machine);

/// What the cores reach on `threads` threads (0: one a core): "copy" and "fma" (host_ceilings.hpp).
std::vector<Ceiling> measure_host_ceilings(int threads);
/// What the device reaches: "copy" (bytes read and written a second between two arrays of 1 GiB),
/// "coalesced atomics" and "random atomics" (additions of floats to 16 MiB, which L2 holds) and
/// "fma". The best of several trials. Empty on a machine without GPU; Error(resources) where it has
/// others than the device.
std::vector<Ceiling> measure_cuda_ceilings(int device);

}  // namespace skde::bench
