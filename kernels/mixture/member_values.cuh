#pragma once

#include <cstdint>
#include <numbers>

#include "kernels/power_of_half.cuh"

/// The profile of members: k(q) = 2^(-rate s), with s = 1 at the cut.
namespace skde::kernels {

/// Returns the exponent of 1 / 2 at the cut.
inline double rate_of(double cut) { return cut * cut / 2 * std::numbers::log2e; }

__device__ inline float root_of(float x) { return __fsqrt_rn(x); }
__device__ inline double root_of(double x) { return sqrt(x); }
__device__ inline std::int32_t floor_of(float x) { return __float2int_rd(x); }
__device__ inline std::int32_t floor_of(double x) { return __double2int_rd(x); }

}  // namespace skde::kernels
