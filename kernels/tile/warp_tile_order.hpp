#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/kernel/sample_shapes.hpp"
#include "core/space/grid.hpp"
#include "kernels/span/coarse_sort.hpp"
#include "kernels/tile/warp_tile_plan.hpp"

namespace skde::kernels {

/// A sample of the common kernel, sorted by coarse cell: its height, and its position in cells of
/// the grid as fixed point with WarpTilePlan::fraction bits, modulo 2^32.
struct alignas(16) WeightedFixedSample {
  std::int32_t x, y, z;
  float height;
};

/// The factors of a sample's own ellipsoid that the computation of q needs
/// (core/kernel/ellipsoid.hpp).
template <class Real>
struct alignas(8) EllipsoidFactors {
  Real inv_sx, inv_sy, inv_sz, bxy, bxz, bzy;
};

/// The samples in sorted order. `fixed` is for sums of the common kernel in float; otherwise
/// `precise`, whose weight is the height. The factors are present if each sample has its own.
struct WarpTileSamples {
  WeightedFixedSample* fixed = nullptr;
  PreciseSample* precise = nullptr;
  EllipsoidFactors<float>* factors = nullptr;
  EllipsoidFactors<double>* wide_factors = nullptr;
};

/// Writes each sample's index and its coarse cell among those of all classes (plan.keys() if its
/// kernel misses the grid). Sets reach[3 k + axis] to the largest reach of a kernel of class k, in
/// cells; it stays 0 if the class is empty. `reach` holds 3 values per class. Counts in `kept` the
/// samples whose kernels reach the grid.
void key_samples(const DevicePoints& points, const Grid& grid, const SampleShapes& shapes,
                 const WarpTilePlan& plan, std::uint32_t* keys, std::uint32_t* indices,
                 std::int32_t* reach, std::uint32_t* kept, cudaStream_t stream);

/// Writes the samples in sorted order. Heights are multiplied by `scale`, 1 / W.
void gather_sorted(const DevicePoints& points, const Grid& grid, const SampleShapes& shapes,
                   const WarpTilePlan& plan, double scale, const std::uint32_t* indices,
                   const WarpTileSamples& sorted, cudaStream_t stream);

}  // namespace skde::kernels
