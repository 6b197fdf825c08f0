#pragma once

#include <cstdint>
#include <numbers>

/// The profile of members: k(q) = 2^(-rate s), with s = 1 at the cut.
namespace skde::kernels {

/// Returns the exponent of 1 / 2 at the cut.
inline double rate_of(double cut) { return cut * cut / 2 * std::numbers::log2e; }

/// 2^-x; 0 where that underflows.
__device__ inline float power_of_half(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(-x));
  return power;
}
__device__ inline double power_of_half(double x) { return exp2(-x); }

__device__ inline float root_of(float x) { return __fsqrt_rn(x); }
__device__ inline double root_of(double x) { return sqrt(x); }
__device__ inline std::int32_t floor_of(float x) { return __float2int_rd(x); }
__device__ inline std::int32_t floor_of(double x) { return __double2int_rd(x); }

}  // namespace skde::kernels
