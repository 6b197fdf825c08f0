#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/kernel/kernel_shape.hpp"

/// The field at a working grid's nodes, between the sums of samples and the values of cells.
namespace skde::kernels {

/// Dimensions of the field: rows of nodes[0] + 2 numbers, x fastest.
struct FieldDims {
  std::int32_t nodes[3];

  SKDE_HOST_DEVICE std::int64_t row() const { return nodes[0] + 2; }
};

/// Angular frequencies of each axis and the factors of its transform; device arrays.
struct FieldFactors {
  const double* frequencies[3];
  const double* factors[3];
};

/// How the cells along an axis take their values from nodes: cell i from the node at first + i *
/// step, or interpolated by splines around that place.
struct CellAxis {
  double first, step;
  std::int32_t begin, end;  ///< range of nodes that are read
  std::int32_t cells;
  bool interpolated;
  bool wraps;  ///< whether the first node follows the last
};

/// Multiplies the half spectrum `field` by the kernel's transform and the factors.
template <class Real>
void multiply_field(Real* field, FieldDims dims, const Kernel& kernel, const FieldFactors& factors,
                    cudaStream_t stream);

/// Copies every cell from its node, if no axis is interpolated; raises values to `least`.
template <class Real, class Value>
void crop_field(const Real* field, FieldDims dims, const CellAxis (&axes)[3], Real least,
                Value* cells, cudaStream_t stream);

/// Computes the values at the cells along x, for the rows of nodes [begin, end) along y and z, one
/// row after another.
template <class Real>
void take_rows(const Real* field, FieldDims dims, const CellAxis (&axes)[3], int order, Real* rows,
               cudaStream_t stream);

/// Interpolates along one axis: turns an array [outer][nodes begin ... end][inner] into
/// [outer][cells][inner]. Raises values to `least`.
template <class Real, class Value>
void take_axis(const Real* from, std::int64_t inner, std::int64_t outer, const CellAxis& axis,
               int order, Real least, Value* to, cudaStream_t stream);

}  // namespace skde::kernels
