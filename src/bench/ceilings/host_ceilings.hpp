#pragma once

namespace skde {

// Rates that the cores of this machine reach together in loops that do nothing else: the best of
// several trials, with this many threads.

/// Returns the bytes per second read and written between two arrays of 256 MiB.
double copied_bytes_a_second(int threads);
/// Returns the fused multiply-adds of floats per second, with the widest vectors the engines use.
double multiply_adds_a_second(int threads);

}  // namespace skde
