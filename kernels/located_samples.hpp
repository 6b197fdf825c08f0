#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/grid.hpp"
#include "core/kernel/ellipsoid.hpp"

namespace skde::kernels {

/// A sample in cell units, as the nearest cell of the grid, or beside it, and the offset from its
/// centre: the distance to any cell is then exact up to the last place of Real, in grids of any
/// size and for kernels of any.
template <class Real>
struct alignas(16) LocatedSample {
  std::int32_t cell[3];  ///< from -1 to the number of cells
  Real offset[3];        ///< within [-0.5, 0.5] in the grid
  Real weight;           ///< w_i times the kernel's amplitude / W; 0: the kernel misses the grid
};

/// Samples as they are uploaded: 3 doubles a sample in world units; weights, bandwidth_factors and
/// shapes of 6 doubles as SamplesView has them, or nullptr.
struct DevicePoints {
  const double* xyz = nullptr;
  const double* weights = nullptr;
  const double* bandwidth_factors = nullptr;
  const double* shapes = nullptr;
  std::int64_t count = 0;
};

/// Writes one located sample for each point. `scale` is amplitude / W.
template <class Real>
void locate_samples(const DevicePoints& points, const Grid& grid,
                    const Ellipsoid<double>& ellipsoid, double scale, LocatedSample<Real>* located,
                    cudaStream_t stream);

}  // namespace skde::kernels
