#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace skde::kernels {

/// Sum and maximum of a share of an array's values, and the least positive one, or infinity.
struct BlockTotals {
  double sum, maximum, least_positive;
};

/// Number of shares that the values are divided into. It is the same on every device, so that the
/// sum is bit-identical on all of them.
inline constexpr int kTotalBlocks = 2048;

/// Fills kTotalBlocks totals of `count` values, each at least 0; empty shares have totals of 0.
template <class Real>
void total_blocks(const Real* values, std::int64_t count, BlockTotals* totals, cudaStream_t stream);

/// Multiplies every value by `factor`.
template <class Real>
void scale_values(Real* values, std::int64_t count, double factor, cudaStream_t stream);

}  // namespace skde::kernels
