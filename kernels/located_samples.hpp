#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/kernel/ellipsoid.hpp"
#include "core/space/grid.hpp"

namespace skde::kernels {

/// A sample in cell units: the nearest cell, in the grid or just outside it, and the offset from
/// its centre. The distance to any cell is then exact to the last place of Real, for any size of
/// grid and kernel.
template <class Real>
struct alignas(16) LocatedSample {
  std::int32_t cell[3];  ///< from -1 to the number of cells
  Real offset[3];        ///< within [-0.5, 0.5] in the grid
  Real weight;           ///< w_i times the kernel's amplitude / W; 0 if the kernel misses the grid
};

/// The samples as uploaded: 3 doubles per sample in world units. Weights, bandwidth_factors and
/// shapes (6 doubles) have the layout of SamplesView and may be nullptr.
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
