#include "engines/cpu/vector_instructions.hpp"

namespace skde {
namespace {

VectorInstructions detect() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return VectorInstructions::avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return VectorInstructions::avx2;
#endif
  return VectorInstructions::any;
}

}  // namespace

VectorInstructions vector_instructions() {
  static const VectorInstructions best = detect();
  return best;
}

const char* vector_instructions_name() {
  switch (vector_instructions()) {
    case VectorInstructions::avx512:
      return "AVX-512";
    case VectorInstructions::avx2:
      return "AVX2";
    case VectorInstructions::any:
      break;
  }
#if defined(__ARM_FEATURE_SVE)
  return "SVE";
#elif defined(__aarch64__)
  return "NEON";
#else
  return "SSE2";
#endif
}

}  // namespace skde
