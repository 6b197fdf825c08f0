#pragma once

namespace skde {

// What the cores of this machine reach together in loops that do nothing else: the best of several
// trials on so many threads.

/// Bytes read and written a second between two arrays of 256 MiB.
double copied_bytes_a_second(int threads);
/// Fused multiply-adds of floats a second, on the widest vectors that the engines use.
double multiply_adds_a_second(int threads);

}  // namespace skde
