#pragma once

namespace skde {

/// The vector instructions that loops over rows are compiled for.
enum class VectorInstructions { any, avx2, avx512 };

/// Returns the best that this machine has.
VectorInstructions vector_instructions();
/// "AVX-512", "AVX2" or "SSE2"; on ARM "NEON", or "SVE" if skde was compiled for it.
const char* vector_instructions_name();

}  // namespace skde

// NOLINTBEGIN(bugprone-macro-usage): an attribute cannot be a template's argument
#if defined(__x86_64__)
#define SKDE_AVX512 [[gnu::target("avx512f,avx512dq,avx512vl,avx2,fma")]]
#define SKDE_AVX2 [[gnu::target("avx2,fma")]]
#endif
// NOLINTEND(bugprone-macro-usage)
