#pragma once

#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// The machine that this program runs on, and how the program was built. `device` is the index of
/// the CUDA device that is described.
MachineRecord describe_machine(int device);
/// Fills in GPU, its memory, driver and CUDA version; leaves "none" where there is no such GPU.
void describe_gpu(int device, MachineRecord& machine);

/// What this machine's cores reach together on `threads` threads (0: one a core): "copy", bytes
/// read and written a second between two arrays of 256 MiB, and "fma", fused multiply-adds of
/// floats a second on the widest vectors that the engines use. The best of several trials.
std::vector<Ceiling> measure_host_ceilings(int threads);
/// What the device reaches: "copy" (bytes read and written a second between two arrays of 1 GiB),
/// "coalesced atomics" and "random atomics" (additions of floats to 16 MiB, which L2 holds) and
/// "fma". The best of several trials. Empty on a machine without GPU; Error(resources) where it has
/// others than the device.
std::vector<Ceiling> measure_cuda_ceilings(int device);

}  // namespace skde::bench
