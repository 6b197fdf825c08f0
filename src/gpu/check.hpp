#pragma once

#include <cuda_runtime_api.h>

namespace skde::gpu {

/// Throws Error(resources) if a CUDA call failed. The message says what was tried; for a failed
/// allocation it says how to need less memory.
void check(cudaError_t status, const char* what);

/// Checks a kernel launch: a launch that could not start is an error here, and not a silent zero
/// volume later.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

}  // namespace skde::gpu
