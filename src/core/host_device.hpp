#pragma once

/// Marks a function that the CPU engines, the CUDA kernels and the tests all call.
#if defined(__CUDACC__)
#define SKDE_HOST_DEVICE __host__ __device__
#else
#define SKDE_HOST_DEVICE
#endif
