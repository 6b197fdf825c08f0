#pragma once

#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// What this machine's cores reach together on `threads` threads (0: one a core): "copy", bytes
/// read and written a second between two arrays of 256 MiB, and "fma", fused multiply-adds of
/// floats a second on the widest vectors that the engines use. The best of several trials.
std::vector<Ceiling> measure_host_ceilings(int threads);

}  // namespace skde::bench
