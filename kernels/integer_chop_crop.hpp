#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/kernel/ellipsoid.hpp"
#include "core/kernel/kernel_shape.hpp"
#include "core/space/grid.hpp"
#include "kernels/located_samples.hpp"

namespace skde::kernels {

/// A sample in cell units for integer accumulation. `weight` is 0 if its kernel misses the grid.
struct IntegerSample {
  std::int32_t cell[3];  ///< nearest cell, possibly far outside the grid
  double offset[3];      ///< from the centre of that cell
  double weight;         ///< w_i 2^binary_digits
};

/// Writes an integer sample for each point; its position is bit-identical to that of the CPU.
/// `scale` is 2^binary_digits.
void place_integer_samples(const DevicePoints& points, const Grid& grid,
                           const Ellipsoid<double>& ellipsoid, double scale, IntegerSample* samples,
                           cudaStream_t stream);

/// S-KDE in integers: chops the samples' kernels into slices and crops these. To each cell (x
/// fastest) in slices `part` of the grid it atomically adds `sign` times the integer nearest to
/// weight times profile. The sums do not depend on the order, and are bit-identical to those of
/// SpanIntegerSums on the CPU.
void add_integer_samples(const IntegerSample* samples, std::int64_t count, const Grid& grid,
                         const Kernel& kernel, const Ellipsoid<double>& ellipsoid, SliceRange part,
                         std::int64_t sign, std::int64_t* sums, int multiprocessors,
                         cudaStream_t stream);

}  // namespace skde::kernels
