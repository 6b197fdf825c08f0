#pragma once

#include <vector>

#include "bench/results/results.hpp"

namespace skde::bench {

/// What the device reaches: "copy" (bytes read and written a second between two arrays of 1 GiB),
/// "coalesced atomics" and "random atomics" (additions of floats to 16 MiB, which L2 holds) and
/// "fma". The best of several trials. Empty on a machine without GPU; Error(resources) where it has
/// others than the device.
std::vector<Ceiling> measure_cuda_ceilings(int device);

}  // namespace skde::bench
