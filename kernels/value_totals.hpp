#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace skde::kernels {

/// Sum and largest of a share of an array's values.
struct BlockTotals {
  double sum, maximum;
};

/// Shares that the values are cut into, whatever the device, so that the sum is the same bits on
/// every one.
inline constexpr int kTotalBlocks = 2048;

/// Fills kTotalBlocks totals of `count` values, each at least 0; a share without values is 0.
template <class Real>
void total_blocks(const Real* values, std::int64_t count, BlockTotals* totals, cudaStream_t stream);

/// Multiplies every value.
template <class Real>
void scale_values(Real* values, std::int64_t count, double factor, cudaStream_t stream);

}  // namespace skde::kernels
