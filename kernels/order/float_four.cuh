#pragma once

#include <cuda_runtime.h>

#include <cstddef>

namespace skde::kernels {

__device__ inline float4 operator+(float4 a, float4 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}
__device__ inline float4 operator-(float4 a, float4 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w};
}
__device__ inline float4 operator*(float4 a, float b) {
  return {a.x * b, a.y * b, a.z * b, a.w * b};
}
__device__ inline float dot(float4 a, float4 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

/// Four neighbouring floats at a multiple of 4.
__device__ inline float4 load_four(const float* from, std::size_t at) {
  return *reinterpret_cast<const float4*>(from + at);
}
__device__ inline void store_four(float* to, std::size_t at, float4 value) {
  *reinterpret_cast<float4*>(to + at) = value;
}

}  // namespace skde::kernels
