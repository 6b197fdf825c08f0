#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/grid.hpp"
#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "kernels/located_samples.hpp"

namespace skde::kernels {

/// A sample in cell units for whole-number sums; `weight` 0: its kernel misses the grid.
struct IntegerSample {
  std::int32_t cell[3];  ///< nearest, also far beside the grid
  double offset[3];      ///< from the centre of that cell
  double weight;         ///< w_i 2^binary_digits
};

/// Writes an integer sample for each point, whose place has the bits that the CPU gives it.
/// `scale` is 2^binary_digits.
void place_integer_samples(const DevicePoints& points, const Grid& grid,
                           const Ellipsoid<double>& ellipsoid, double scale, IntegerSample* samples,
                           cudaStream_t stream);

/// S-KDE in integers: chops the samples' kernels into slices, crops those, and adds `sign`
/// times the nearest integer to weight times profile to each cell, x fastest, of the slices
/// `part` of the grid, atomically. Sums are the same bits whatever the order, and those of
/// SpanIntegerSums on the CPU.
void add_integer_samples(const IntegerSample* samples, std::int64_t count, const Grid& grid,
                         const Kernel& kernel, const Ellipsoid<double>& ellipsoid, SliceRange part,
                         std::int64_t sign, std::int64_t* sums, int multiprocessors,
                         cudaStream_t stream);

}  // namespace skde::kernels
