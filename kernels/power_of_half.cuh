#pragma once

namespace skde::kernels {

/// 2^-x; 0 where that underflows.
__device__ inline float power_of_half(float x) {
  float power;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(-x));
  return power;
}
__device__ inline double power_of_half(double x) { return exp2(-x); }

}  // namespace skde::kernels
