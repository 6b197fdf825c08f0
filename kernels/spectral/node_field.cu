#include "core/kernel/b_spline.hpp"
#include "gpu/check.hpp"
#include "kernels/spectral/node_field.hpp"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;
constexpr int kRowBlock = 128;  // threads of a block along a row, which may be short
constexpr int kSpan = 16;       // cells along an axis that a thread goes through
constexpr int kRows = 8;        // rows per thread, so that blocks live long enough

unsigned blocks_for(std::int64_t items, std::int64_t each) {
  return static_cast<unsigned>((items + each - 1) / each);
}

struct Quadratic {
  double xx, xy, xz, yy, yz, zz;
};

/// A number of the half spectrum.
template <class Real>
struct alignas(2 * sizeof(Real)) Complex {
  Real re, im;
};

/// Each thread processes a few rows of the half spectrum.
template <class Profile, class Real>
__global__ void __launch_bounds__(kRowBlock)
    multiply_kernel(Real* field, FieldDims dims, Quadratic H, FieldFactors factors) {
  const auto i = static_cast<std::int32_t>(blockIdx.x * kRowBlock + threadIdx.x);
  const auto begin = static_cast<std::int32_t>(blockIdx.y) * kRows,
             k = static_cast<std::int32_t>(blockIdx.z);
  if (i > dims.nodes[0] / 2) return;
  const double fx = factors.frequencies[0][i], fz = factors.frequencies[2][k];
  const double xz2 = H.xx * fx * fx + H.zz * fz * fz + 2 * H.xz * fx * fz;
  const double y2 = 2 * (H.xy * fx + H.yz * fz);
  const double factor_xz = factors.factors[0][i] * factors.factors[2][k];
  const std::int64_t row = dims.row() / 2;
  auto* const numbers = reinterpret_cast<Complex<Real>*>(field) +
                        static_cast<std::int64_t>(k) * dims.nodes[1] * row + i;
#pragma unroll 4
  for (std::int32_t j = begin; j < min(begin + kRows, dims.nodes[1]); ++j) {
    const double fy = factors.frequencies[1][j];
    const double w2 = xz2 + fy * (y2 + H.yy * fy);
    const Real factor = static_cast<Real>(factor_xz * factors.factors[1][j]) *
                        Profile::transform(static_cast<Real>(fmax(w2, 0.0)));
    Complex<Real> number = numbers[j * row];
    number.re *= factor;
    number.im *= factor;
    numbers[j * row] = number;
  }
}

/// A place between nodes: the first node of its splines, and the splines' values.
template <int M, class Real>
struct Taps {
  int first;
  Real shares[M];

  Taps() = default;
  __device__ Taps(const CellAxis& axis, int cell) {
    const double at = axis.first + axis.step * cell, node = floor(at);
    first = static_cast<int>(node) - M / 2 + 1;
    b_spline_values<M>(static_cast<Real>(at - node), shares);
  }
};

__device__ int node_of(const CellAxis& axis, int cell) {
  return static_cast<int>(axis.first) + static_cast<int>(axis.step) * cell;
}

/// Returns the node's index, wrapped to the first node after the last one if the axis wraps.
__device__ int wrapped(const CellAxis& axis, int node, std::int32_t nodes) {
  return axis.wraps && node >= nodes ? node - nodes : node;
}

template <class Real>
__device__ Real at_least(Real least, Real value) {
  return value > least ? value : least;
}

struct CropAxes {
  CellAxis x, y, z;
};

template <class Real, class Value>
__global__ void __launch_bounds__(kRowBlock)
    crop_kernel(const Real* field, FieldDims dims, CropAxes axes, Real least, Value* cells) {
  const auto i = static_cast<std::int32_t>(blockIdx.x * kRowBlock + threadIdx.x);
  const auto begin = static_cast<std::int32_t>(blockIdx.y) * kRows,
             k = static_cast<std::int32_t>(blockIdx.z);
  if (i >= axes.x.cells) return;
  const Real* const slice =
      field + static_cast<std::int64_t>(node_of(axes.z, k)) * dims.nodes[1] * dims.row() +
      node_of(axes.x, i);
  Value* const to = cells + static_cast<std::int64_t>(k) * axes.y.cells * axes.x.cells + i;
#pragma unroll 4
  for (std::int32_t j = begin; j < min(begin + kRows, axes.y.cells); ++j)
    to[static_cast<std::int64_t>(j) * axes.x.cells] =
        static_cast<Value>(at_least(least, slice[node_of(axes.y, j) * dims.row()]));
}

/// Each thread computes a cell of a few rows, which share its splines.
template <int M, class Real>
__global__ void __launch_bounds__(kRowBlock)
    rows_kernel(const Real* field, FieldDims dims, CropAxes axes, Real* rows) {
  const auto i = static_cast<std::int32_t>(blockIdx.x * kRowBlock + threadIdx.x);
  const auto begin = static_cast<std::int32_t>(blockIdx.y) * kRows,
             k = static_cast<std::int32_t>(blockIdx.z), across = axes.y.end - axes.y.begin;
  if (i >= axes.x.cells) return;
  const Real* const slice =
      field + static_cast<std::int64_t>(wrapped(axes.z, k + axes.z.begin, dims.nodes[2])) *
                  dims.nodes[1] * dims.row();
  const auto row_of = [&](std::int32_t j) {
    return slice + wrapped(axes.y, j + axes.y.begin, dims.nodes[1]) * dims.row();
  };
  Real* const to = rows + static_cast<std::int64_t>(k) * across * axes.x.cells + i;
  const std::int32_t end = min(begin + kRows, across);
  const std::int64_t cells = axes.x.cells;
  if (!axes.x.interpolated) {
    for (std::int32_t j = begin; j < end; ++j) to[j * cells] = row_of(j)[node_of(axes.x, i)];
    return;
  }
  const Taps<M, Real> taps(axes.x, i);
  for (std::int32_t j = begin; j < end; ++j) {
    const Real* const row = row_of(j);
    Real value = 0;
#pragma unroll
    for (int t = 0; t < M; ++t)
      value += taps.shares[t] * row[wrapped(axes.x, taps.first + t, dims.nodes[0])];
    to[j * cells] = value;
  }
}

/// Each thread moves along the axis and keeps the last M nodes in registers.
template <int M, class Real, class Value>
__global__ void __launch_bounds__(kBlock)
    axis_kernel(const Real* from, std::int64_t inner, CellAxis axis, Real least, Value* to) {
  __shared__ Taps<M, Real> taps[kSpan];  // the same for all threads
  const auto first = static_cast<std::int32_t>(blockIdx.y) * kSpan;
  if (threadIdx.x < kSpan)
    taps[threadIdx.x] = Taps<M, Real>(axis, first + static_cast<int>(threadIdx.x));
  __syncthreads();
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (at >= inner) return;
  const std::int32_t end = first + kSpan < axis.cells ? first + kSpan : axis.cells;
  const std::int64_t nodes = axis.end - axis.begin;
  const Real* const line = from + blockIdx.z * nodes * inner + at;
  Value* const cells = to + static_cast<std::int64_t>(blockIdx.z) * axis.cells * inner + at;
  const auto put = [&](int cell, Real value) {
    cells[cell * inner] = static_cast<Value>(at_least(least, value));
  };
  if (!axis.interpolated) {
    for (int cell = first; cell < end; ++cell)
      put(cell, line[(node_of(axis, cell) - axis.begin) * inner]);
    return;
  }
  Real window[M];
  int loaded = 0;  // first node behind the window
  for (int cell = first; cell < end; ++cell) {
    const Taps<M, Real>& own = taps[cell - first];
    const int wanted = own.first - axis.begin;
    if (cell == first) loaded = wanted;
    for (; loaded < wanted + M; ++loaded) {
#pragma unroll
      for (int t = 0; t + 1 < M; ++t) window[t] = window[t + 1];
      window[M - 1] = line[loaded * inner];
    }
    Real value = 0;
#pragma unroll
    for (int t = 0; t < M; ++t) value += own.shares[t] * window[t];
    put(cell, value);
  }
}

template <class Launch>
void with_order(int order, Launch&& launch) {
  if (order == 4)
    launch.template operator()<4>();
  else if (order == 6)
    launch.template operator()<6>();
  else if (order == 8)
    launch.template operator()<8>();
  else if (order == 10)
    launch.template operator()<10>();
  else
    launch.template operator()<12>();
}

}  // namespace

template <class Real>
void multiply_field(Real* field, FieldDims dims, const Kernel& kernel, const FieldFactors& factors,
                    cudaStream_t stream) {
  const dim3 grid(blocks_for(dims.nodes[0] / 2 + 1, kRowBlock), blocks_for(dims.nodes[1], kRows),
                  static_cast<unsigned>(dims.nodes[2]));
  const Symmetric3& m = kernel.H;
  const Quadratic H{m.xx, m.xy, m.xz, m.yy, m.yz, m.zz};
  with_profile(kernel, [&]<class Profile>(const Profile& /*profile*/) {
    if constexpr (kHasTransform<Profile>)
      multiply_kernel<Profile, Real>
          <<<grid, static_cast<unsigned>(kRowBlock), 0, stream>>>(field, dims, H, factors);
  });
  gpu::check_launch("multiply by the kernel's transform");
}

template <class Real, class Value>
void crop_field(const Real* field, FieldDims dims, const CellAxis (&axes)[3], Real least,
                Value* cells, cudaStream_t stream) {
  const dim3 grid(blocks_for(axes[0].cells, kRowBlock), blocks_for(axes[1].cells, kRows),
                  static_cast<unsigned>(axes[2].cells));
  crop_kernel<Real, Value><<<grid, static_cast<unsigned>(kRowBlock), 0, stream>>>(
      field, dims, CropAxes{axes[0], axes[1], axes[2]}, least, cells);
  gpu::check_launch("crop the field");
}

template <class Real>
void take_rows(const Real* field, FieldDims dims, const CellAxis (&axes)[3], int order, Real* rows,
               cudaStream_t stream) {
  const dim3 grid(blocks_for(axes[0].cells, kRowBlock),
                  blocks_for(axes[1].end - axes[1].begin, kRows),
                  static_cast<unsigned>(axes[2].end - axes[2].begin));
  with_order(order, [&]<int M>() {
    rows_kernel<M, Real><<<grid, static_cast<unsigned>(kRowBlock), 0, stream>>>(
        field, dims, CropAxes{axes[0], axes[1], axes[2]}, rows);
  });
  gpu::check_launch("interpolate along x");
}

template <class Real, class Value>
void take_axis(const Real* from, std::int64_t inner, std::int64_t outer, const CellAxis& axis,
               int order, Real least, Value* to, cudaStream_t stream) {
  const dim3 grid(blocks_for(inner, kBlock), blocks_for(axis.cells, kSpan),
                  static_cast<unsigned>(outer));
  with_order(order, [&]<int M>() {
    axis_kernel<M, Real, Value>
        <<<grid, static_cast<unsigned>(kBlock), 0, stream>>>(from, inner, axis, least, to);
  });
  gpu::check_launch("interpolate along an axis");
}

#define SKDE_FIELD(REAL)                                                             \
  template void multiply_field(REAL*, FieldDims, const Kernel&, const FieldFactors&, \
                               cudaStream_t);                                        \
  template void take_rows(const REAL*, FieldDims, const CellAxis(&)[3], int, REAL*, cudaStream_t);
#define SKDE_CELLS(REAL, VALUE)                                                                \
  template void crop_field(const REAL*, FieldDims, const CellAxis(&)[3], REAL, VALUE*,         \
                           cudaStream_t);                                                      \
  template void take_axis(const REAL*, std::int64_t, std::int64_t, const CellAxis&, int, REAL, \
                          VALUE*, cudaStream_t);
SKDE_FIELD(float)
SKDE_FIELD(double)
SKDE_CELLS(float, float)
SKDE_CELLS(double, float)
SKDE_CELLS(double, double)
#undef SKDE_FIELD
#undef SKDE_CELLS

}  // namespace skde::kernels
