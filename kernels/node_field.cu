#include "core/b_spline.hpp"
#include "gpu/check.hpp"
#include "kernels/node_field.hpp"

namespace skde::kernels {
namespace {

constexpr int kBlock = 256;
constexpr int kRowBlock = 128;  // of threads along a row, which may be short
constexpr int kSpan = 16;       // cells along an axis that a thread goes through

unsigned blocks_for(std::int64_t items, std::int64_t each) {
  return static_cast<unsigned>((items + each - 1) / each);
}

template <class Real>
__global__ void __launch_bounds__(kBlock)
    convert_kernel(const std::int64_t* sums, std::int64_t count, Real unit, Real* field) {
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (i < count) field[i] = static_cast<Real>(sums[i]) * unit;
}

struct Quadratic {
  double xx, xy, xz, yy, yz, zz;
};

/// A thread a number of the half spectrum.
template <class Profile, class Real>
__global__ void __launch_bounds__(kRowBlock)
    multiply_kernel(Real* field, FieldDims dims, Quadratic H, FieldFactors factors) {
  const auto half = dims.nodes[0] / 2 + 1;
  const auto i = static_cast<std::int32_t>(blockIdx.x * kRowBlock + threadIdx.x);
  const auto j = static_cast<std::int32_t>(blockIdx.y), k = static_cast<std::int32_t>(blockIdx.z);
  if (i >= half) return;
  const double fx = factors.frequencies[0][i], fy = factors.frequencies[1][j],
               fz = factors.frequencies[2][k];
  const double w2 = H.xx * fx * fx + H.yy * fy * fy + H.zz * fz * fz +
                    2 * (H.xy * fx * fy + H.xz * fx * fz + H.yz * fy * fz);
  const auto factor =
      static_cast<Real>(factors.factors[0][i] * factors.factors[1][j] * factors.factors[2][k]) *
      Profile::transform(static_cast<Real>(fmax(w2, 0.0)));
  const std::int64_t at = (static_cast<std::int64_t>(k) * dims.nodes[1] + j) * dims.row() + 2 * i;
  field[at] *= factor;
  field[at + 1] *= factor;
}

/// A place between nodes: the first node of its splines, and their values.
template <int M, class Real>
struct Taps {
  int first;
  Real shares[M];

  __device__ Taps(const CellAxis& axis, int cell) {
    const double at = axis.first + axis.step * cell, node = floor(at);
    first = static_cast<int>(node) - M / 2 + 1;
    b_spline_values<M>(static_cast<Real>(at - node), shares);
  }
};

__device__ int node_of(const CellAxis& axis, int cell) {
  return static_cast<int>(axis.first) + static_cast<int>(axis.step) * cell;
}

template <class Real>
__device__ Real positive(Real value) {
  return value > Real(0) ? value : Real(0);
}

struct CropAxes {
  CellAxis x, y, z;
};

template <class Real, class Value>
__global__ void __launch_bounds__(kRowBlock)
    crop_kernel(const Real* field, FieldDims dims, CropAxes axes, Value* cells) {
  const auto i = static_cast<std::int32_t>(blockIdx.x * kRowBlock + threadIdx.x);
  const auto j = static_cast<std::int32_t>(blockIdx.y), k = static_cast<std::int32_t>(blockIdx.z);
  if (i >= axes.x.cells) return;
  const std::int64_t row =
      static_cast<std::int64_t>(node_of(axes.z, k)) * dims.nodes[1] + node_of(axes.y, j);
  const std::int64_t to = (static_cast<std::int64_t>(k) * axes.y.cells + j) * axes.x.cells + i;
  cells[to] = static_cast<Value>(positive(field[row * dims.row() + node_of(axes.x, i)]));
}

/// A thread a cell of a row.
template <int M, class Real>
__global__ void __launch_bounds__(kRowBlock)
    rows_kernel(const Real* field, FieldDims dims, CropAxes axes, Real* rows) {
  const auto i = static_cast<std::int32_t>(blockIdx.x * kRowBlock + threadIdx.x);
  const auto j = static_cast<std::int32_t>(blockIdx.y), k = static_cast<std::int32_t>(blockIdx.z);
  if (i >= axes.x.cells) return;
  const Real* const row =
      field +
      (static_cast<std::int64_t>(k + axes.z.begin) * dims.nodes[1] + j + axes.y.begin) * dims.row();
  Real value = 0;
  if (axes.x.interpolated) {
    const Taps<M, Real> taps(axes.x, i);
#pragma unroll
    for (int t = 0; t < M; ++t) value += taps.shares[t] * row[taps.first + t];
  } else {
    value = row[node_of(axes.x, i)];
  }
  const std::int64_t across = axes.y.end - axes.y.begin;
  rows[(k * across + j) * axes.x.cells + i] = value;
}

/// A thread goes along the axis with the last M nodes at hand.
template <int M, class Real, class Value>
__global__ void __launch_bounds__(kBlock)
    axis_kernel(const Real* from, std::int64_t inner, CellAxis axis, bool last, Value* to) {
  const std::int64_t at = static_cast<std::int64_t>(blockIdx.x) * kBlock + threadIdx.x;
  if (at >= inner) return;
  const auto first = static_cast<std::int32_t>(blockIdx.y) * kSpan;
  const std::int32_t end = first + kSpan < axis.cells ? first + kSpan : axis.cells;
  const std::int64_t nodes = axis.end - axis.begin;
  const Real* const line = from + blockIdx.z * nodes * inner + at;
  Value* const cells = to + static_cast<std::int64_t>(blockIdx.z) * axis.cells * inner + at;
  const auto put = [&](int cell, Real value) {
    cells[cell * inner] = static_cast<Value>(last ? positive(value) : value);
  };
  if (!axis.interpolated) {
    for (int cell = first; cell < end; ++cell)
      put(cell, line[(node_of(axis, cell) - axis.begin) * inner]);
    return;
  }
  Real window[M];
  int loaded = 0;  // the node behind the window
  for (int cell = first; cell < end; ++cell) {
    const Taps<M, Real> taps(axis, cell);
    const int wanted = taps.first - axis.begin;
    if (cell == first) loaded = wanted;
    for (; loaded < wanted + M; ++loaded) {
#pragma unroll
      for (int t = 0; t + 1 < M; ++t) window[t] = window[t + 1];
      window[M - 1] = line[loaded * inner];
    }
    Real value = 0;
#pragma unroll
    for (int t = 0; t < M; ++t) value += taps.shares[t] * window[t];
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
void convert_sums(const std::int64_t* sums, std::int64_t count, double unit, Real* field,
                  cudaStream_t stream) {
  convert_kernel<Real><<<blocks_for(count, kBlock), kBlock, 0, stream>>>(
      sums, count, static_cast<Real>(unit), field);
  gpu::check_launch("convert the sums");
}

template <class Real>
void multiply_field(Real* field, FieldDims dims, const Kernel& kernel, const FieldFactors& factors,
                    cudaStream_t stream) {
  const dim3 grid(blocks_for(dims.nodes[0] / 2 + 1, kRowBlock),
                  static_cast<unsigned>(dims.nodes[1]), static_cast<unsigned>(dims.nodes[2]));
  const Symmetric3& m = kernel.H;
  const Quadratic H{m.xx, m.xy, m.xz, m.yy, m.yz, m.zz};
  with_profile(kernel, [&]<class Profile>(const Profile& /*profile*/) {
    multiply_kernel<Profile, Real>
        <<<grid, static_cast<unsigned>(kRowBlock), 0, stream>>>(field, dims, H, factors);
  });
  gpu::check_launch("multiply by the kernel's transform");
}

template <class Real, class Value>
void crop_field(const Real* field, FieldDims dims, const CellAxis (&axes)[3], Value* cells,
                cudaStream_t stream) {
  const dim3 grid(blocks_for(axes[0].cells, kRowBlock), static_cast<unsigned>(axes[1].cells),
                  static_cast<unsigned>(axes[2].cells));
  crop_kernel<Real, Value><<<grid, static_cast<unsigned>(kRowBlock), 0, stream>>>(
      field, dims, CropAxes{axes[0], axes[1], axes[2]}, cells);
  gpu::check_launch("crop the field");
}

template <class Real>
void take_rows(const Real* field, FieldDims dims, const CellAxis (&axes)[3], int order, Real* rows,
               cudaStream_t stream) {
  const dim3 grid(blocks_for(axes[0].cells, kRowBlock),
                  static_cast<unsigned>(axes[1].end - axes[1].begin),
                  static_cast<unsigned>(axes[2].end - axes[2].begin));
  with_order(order, [&]<int M>() {
    rows_kernel<M, Real><<<grid, static_cast<unsigned>(kRowBlock), 0, stream>>>(
        field, dims, CropAxes{axes[0], axes[1], axes[2]}, rows);
  });
  gpu::check_launch("interpolate along x");
}

template <class Real, class Value>
void take_axis(const Real* from, std::int64_t inner, std::int64_t outer, const CellAxis& axis,
               int order, bool last, Value* to, cudaStream_t stream) {
  const dim3 grid(blocks_for(inner, kBlock), blocks_for(axis.cells, kSpan),
                  static_cast<unsigned>(outer));
  with_order(order, [&]<int M>() {
    axis_kernel<M, Real, Value>
        <<<grid, static_cast<unsigned>(kBlock), 0, stream>>>(from, inner, axis, last, to);
  });
  gpu::check_launch("interpolate along an axis");
}

#define SKDE_FIELD(REAL)                                                                      \
  template void convert_sums(const std::int64_t*, std::int64_t, double, REAL*, cudaStream_t); \
  template void multiply_field(REAL*, FieldDims, const Kernel&, const FieldFactors&,          \
                               cudaStream_t);                                                 \
  template void take_rows(const REAL*, FieldDims, const CellAxis(&)[3], int, REAL*, cudaStream_t);
#define SKDE_CELLS(REAL, VALUE)                                                                 \
  template void crop_field(const REAL*, FieldDims, const CellAxis(&)[3], VALUE*, cudaStream_t); \
  template void take_axis(const REAL*, std::int64_t, std::int64_t, const CellAxis&, int, bool,  \
                          VALUE*, cudaStream_t);
SKDE_FIELD(float)
SKDE_FIELD(double)
SKDE_CELLS(float, float)
SKDE_CELLS(double, float)
SKDE_CELLS(double, double)
#undef SKDE_FIELD
#undef SKDE_CELLS

}  // namespace skde::kernels
