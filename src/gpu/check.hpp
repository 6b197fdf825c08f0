#pragma once

#include <cuda_runtime_api.h>

namespace skde::gpu {

/// Throws Error(resources) that says what was tried where a CUDA call failed; a failed allocation
/// says how to need less memory.
void check(cudaError_t status, const char* what);

/// The same for a kernel that was just launched: a launch that could not start is an error here,
/// not a silent zero volume later.
inline void check_launch(const char* kernel) { check(cudaGetLastError(), kernel); }

}  // namespace skde::gpu
