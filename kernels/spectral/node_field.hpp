#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/kernel/kernel_shape.hpp"

/// The field of a working grid's nodes, between the sums of samples and the values of cells.
namespace skde::kernels {

/// Rows of nodes[0] + 2 numbers, x fastest.
struct FieldDims {
  std::int32_t nodes[3];

  SKDE_HOST_DEVICE std::int64_t row() const { return nodes[0] + 2; }
};

/// Angular frequencies of each axis and what its transform is multiplied by; arrays on the device.
struct FieldFactors {
  const double* frequencies[3];
  const double* factors[3];
};

/// How the cells along an axis take their values from nodes: cell i from the node at first + i *
/// step, or by splines from those around that place.
struct CellAxis {
  double first, step;
  std::int32_t begin, end;  ///< the nodes that are looked at
  std::int32_t cells;
  bool interpolated;
  bool wraps;  ///< behind the last node comes the first
};

/// Multiplies the half spectrum in `field` by the kernel's transform and the factors.
template <class Real>
void multiply_field(Real* field, FieldDims dims, const Kernel& kernel, const FieldFactors& factors,
                    cudaStream_t stream);

/// Every cell from its node, where no axis is interpolated; none is below `least`.
template <class Real, class Value>
void crop_field(const Real* field, FieldDims dims, const CellAxis (&axes)[3], Real least,
                Value* cells, cudaStream_t stream);

/// The values at the cells along x of the rows of nodes [begin, end) along y and z, one row behind
/// the other.
template <class Real>
void take_rows(const Real* field, FieldDims dims, const CellAxis (&axes)[3], int order, Real* rows,
               cudaStream_t stream);

/// The cells along an axis of an array [outer][nodes begin ... end][inner], which becomes
/// [outer][cells][inner]; none is below `least`.
template <class Real, class Value>
void take_axis(const Real* from, std::int64_t inner, std::int64_t outer, const CellAxis& axis,
               int order, Real least, Value* to, cudaStream_t stream);

}  // namespace skde::kernels
