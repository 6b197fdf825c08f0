#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/grid.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "kernels/coarse_sort.hpp"
#include "kernels/tile/warp_tile_plan.hpp"

namespace skde::kernels {

/// A sample of the common kernel, sorted by coarse cell: its position in cells of the grid as fixed
/// point with WarpTilePlan::fraction bits, modulo 2^32, and its height.
struct alignas(16) WeightedFixedSample {
  std::int32_t x, y, z;
  float height;
};

/// The factors of a sample's own ellipsoid that q needs (core/kernel/ellipsoid.hpp).
template <class Real>
struct alignas(8) EllipsoidFactors {
  Real inv_sx, inv_sy, inv_sz, bxy, bxz, bzy;
};

/// Samples in sorted order: `fixed` for sums of the common kernel in float, else `precise`, whose
/// weight is the height; the factors where each has its own.
struct WarpTileSamples {
  WeightedFixedSample* fixed = nullptr;
  PreciseSample* precise = nullptr;
  EllipsoidFactors<float>* factors = nullptr;
  EllipsoidFactors<double>* wide_factors = nullptr;
};

/// Writes each sample's coarse cell among those of all classes (plan.keys() where its kernel misses
/// the grid) and index; reach[3 k + axis] becomes how many cells a kernel of class k reaches over,
/// at the most, and stays 0 where the class is empty. `reach` holds 3 values a class.
void key_samples(const DevicePoints& points, const Grid& grid, const SampleShapes& shapes,
                 const WarpTilePlan& plan, std::uint32_t* keys, std::uint32_t* indices,
                 std::int32_t* reach, cudaStream_t stream);

/// Writes the samples in sorted order. `scale` is what heights are times, 1 / W.
void gather_sorted(const DevicePoints& points, const Grid& grid, const SampleShapes& shapes,
                   const WarpTilePlan& plan, double scale, const std::uint32_t* indices,
                   const WarpTileSamples& sorted, cudaStream_t stream);

}  // namespace skde::kernels
