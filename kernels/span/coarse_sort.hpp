#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/space/grid.hpp"
#include "kernels/located_samples.hpp"
#include "kernels/span/span_plan.hpp"

namespace skde::kernels {

/// A sample, sorted by coarse cell. Its position, in cells of the grid, is fixed point with
/// SpanPlan::fraction_bits modulo 2^32, so that differences to near cells are exact in grids of any
/// size. Its weight is a share of the largest.
struct alignas(16) FixedSample {
  std::int32_t x, y, z;
  float weight;
};

/// A FixedSample in double precision.
struct alignas(32) PreciseSample {
  double x, y, z, weight;
};

/// Writes each sample's index and coarse cell (plan.coarse.count() if its kernel misses the grid).
void key_samples(const DevicePoints& points, const Grid& grid, const SpanPlan& plan,
                 std::uint32_t* keys, std::uint32_t* indices, cudaStream_t stream);

/// Writes the samples in sorted order.
void gather_sorted(const DevicePoints& points, const Grid& grid, const SpanPlan& plan,
                   const std::uint32_t* indices, FixedSample* sorted, cudaStream_t stream);
void gather_sorted(const DevicePoints& points, const Grid& grid, const SpanPlan& plan,
                   const std::uint32_t* indices, PreciseSample* sorted, cudaStream_t stream);

/// Fixed-point 1 of the weights, which are rounded up. Sums of up to 2^31 weights are exact.
inline constexpr double kWeightOne = 4294967296.0;
/// Sets sums[k] to the sum of the weights of the first k + 1 sorted samples, times kWeightOne. If
/// scratch is nullptr, only scratch_bytes is set.
void sum_weights(const FixedSample* sorted, std::int64_t count, std::uint64_t* sums, void* scratch,
                 std::size_t& scratch_bytes, cudaStream_t stream);
void sum_weights(const PreciseSample* sorted, std::int64_t count, std::uint64_t* sums,
                 void* scratch, std::size_t& scratch_bytes, cudaStream_t stream);

}  // namespace skde::kernels
