#pragma once

#include "bench/results/results.hpp"

namespace skde::bench {

/// Fills in GPU, its memory, driver and CUDA version; leaves "none" where there is no such GPU.
void describe_gpu(int device, MachineRecord& machine);

}  // namespace skde::bench
