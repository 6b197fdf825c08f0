#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace skde::kernels {

/// Sum and maximum of values, and the least positive one, or infinity.
struct Totals {
  double sum, maximum, least_positive;
};

/// Number of shares that the values are divided into. It is the same on every device, so that the
/// sum is bit-identical on all of them.
inline constexpr int kTotalBlocks = 2048;

/// Sets shares[kTotalBlocks] to the totals of `count` values, each at least 0, and the elements
/// before it to those of their shares. `done` must be 0, and is 0 again afterwards.
template <class Real>
void total_values(const Real* values, std::int64_t count, Totals* shares, std::uint32_t* done,
                  cudaStream_t stream);

/// Multiplies every value by `factor`.
template <class Real>
void scale_values(Real* values, std::int64_t count, double factor, cudaStream_t stream);

}  // namespace skde::kernels
