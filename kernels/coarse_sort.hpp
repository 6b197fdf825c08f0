#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

#include "core/grid.hpp"
#include "kernels/located_samples.hpp"
#include "kernels/span/span_plan.hpp"

namespace skde::kernels {

/// A sample, sorted by coarse cell: its position in cells of the grid as fixed point with
/// SpanPlan::fraction_bits, modulo 2^32, so that differences to near cells are exact in grids of
/// any size, and its weight as a share of the largest.
struct alignas(16) FixedSample {
  std::int32_t x, y, z;
  float weight;
};

/// The same in double.
struct alignas(32) PreciseSample {
  double x, y, z, weight;
};

/// Writes each sample's coarse cell (plan.coarse.count() where its kernel misses the grid) and
/// index.
void key_samples(const DevicePoints& points, const Grid& grid, const SpanPlan& plan,
                 std::uint32_t* keys, std::uint32_t* indices, cudaStream_t stream);

/// Sorts the pairs by key, stably. `keys` and `indices` each point to two arrays of `count`;
/// returns which of the two holds the result. With scratch == nullptr only scratch_bytes is set.
int sort_keys(std::uint32_t* keys[2], std::uint32_t* indices[2], std::int64_t count, int bits,
              void* scratch, std::size_t& scratch_bytes, cudaStream_t stream);

/// Bits of a key where there are so many coarse cells.
int key_bits(std::int64_t cells);

/// Writes the samples in sorted order.
void gather_sorted(const DevicePoints& points, const Grid& grid, const SpanPlan& plan,
                   const std::uint32_t* indices, FixedSample* sorted, cudaStream_t stream);
void gather_sorted(const DevicePoints& points, const Grid& grid, const SpanPlan& plan,
                   const std::uint32_t* indices, PreciseSample* sorted, cudaStream_t stream);

/// Weights as shares of the largest in fixed point, rounded up: sums of up to 2^31 are exact.
inline constexpr double kWeightOne = 4294967296.0;
/// sums[k] = the first k + 1 sorted samples' weights times kWeightOne. With scratch == nullptr only
/// scratch_bytes is set.
void sum_weights(const FixedSample* sorted, std::int64_t count, std::uint64_t* sums, void* scratch,
                 std::size_t& scratch_bytes, cudaStream_t stream);
void sum_weights(const PreciseSample* sorted, std::int64_t count, std::uint64_t* sums,
                 void* scratch, std::size_t& scratch_bytes, cudaStream_t stream);

/// starts[c] = first sorted sample of coarse cell c, for c in [0, cells]: the samples of a run of
/// cells are contiguous.
void find_starts(const std::uint32_t* keys, std::int64_t count, std::int64_t cells,
                 std::uint32_t* starts, cudaStream_t stream);

}  // namespace skde::kernels
