#include "engines/cpu/spectral/spectral_transform.hpp"

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "engines/cpu/shared_progress.hpp"
#include "engines/cpu/spectral/spectral_cells.hpp"
#include "engines/cpu/spectral/spectral_lines.hpp"
#include "system/host_memory.hpp"

namespace skde {
namespace {

constexpr int kLines = 16;  // side by side, for caches and vectors

template <class Real>
using Complex = std::complex<Real>;

}  // namespace

/// The frequencies of an axis and the factors of the transform at them.
struct AxisFactors {
  std::vector<double> frequencies, factors;

  AxisFactors(const SpectralPlan& plan, int axis) {
    const SpectralAxis& a = plan.axes[static_cast<std::size_t>(axis)];
    frequencies.resize(static_cast<std::size_t>(a.nodes));
    factors.resize(frequencies.size());
    for (std::int32_t f = 0; f < a.nodes; ++f) {
      frequencies[static_cast<std::size_t>(f)] = angular_frequency(a, f);
      factors[static_cast<std::size_t>(f)] = spectral_factor(plan, axis, f);
    }
  }
};

/// The memory that a thread works in.
template <class Real>
struct LineWorkspace {
  AlignedArray<Real, Complex<Real>> lines, half_row;
  AlignedArray<Real, Real> row;
  std::vector<Real> rows, plane;  ///< values of cells along x, at nodes (rows) or at cells (plane)
                                  ///< along y

  LineWorkspace(const SpectralPlan& plan, const AxisCells<Real>& x, const AxisCells<Real>& y)
      : lines(static_cast<std::size_t>(kLines * std::max(plan.axes[1].nodes, plan.axes[2].nodes))),
        half_row(static_cast<std::size_t>(plan.axes[0].nodes / 2 + kLines)),
        row(static_cast<std::size_t>(plan.row())),
        rows(static_cast<std::size_t>(y.interpolated() ? y.nodes() * x.cells() : 0)),
        plane(static_cast<std::size_t>(x.cells() * y.cells())) {}
};

template <class Real>
struct SpectralTransform<Real>::Parts {
  using Line = LineTransform<Real>;
  using Kind = typename Line::Kind;

  SpectralPlan plan;
  Kernel kernel;
  int threads;
  std::array<AxisFactors, 3> factors;
  AxisCells<Real> x, y, z;
  Line row_forward, row_backward, y_forward, y_backward, z_forward, z_backward;
  std::vector<LineWorkspace<Real>> workspaces;  // one per thread
  Real least = 0;                               // values below it are raised to it

  Parts(const SpectralPlan& plan_, const Kernel& kernel_, const Grid& grid, int threads_)
      : plan(plan_),
        kernel(kernel_),
        threads(threads_),
        factors{AxisFactors(plan, 0), AxisFactors(plan, 1), AxisFactors(plan, 2)},
        x(plan.axes[0], plan.order, grid.dims[0]),
        y(plan.axes[1], plan.order, grid.dims[1]),
        z(plan.axes[2], plan.order, grid.dims[2]),
        row_forward(Kind::to_complex, nx()),
        row_backward(Kind::to_real, nx()),
        y_forward(Kind::forward, ny(), kLines),
        y_backward(Kind::backward, ny(), kLines),
        z_forward(Kind::forward, nz(), kLines),
        z_backward(Kind::backward, nz(), kLines) {
    workspaces.reserve(static_cast<std::size_t>(threads));
    for (int t = 0; t < threads; ++t) workspaces.emplace_back(plan, x, y);
  }

  std::int32_t nx() const { return plan.axes[0].nodes; }
  std::int32_t ny() const { return plan.axes[1].nodes; }
  std::int32_t nz() const { return plan.axes[2].nodes; }
  std::int32_t half() const { return nx() / 2 + 1; }
  std::int64_t* row_at(std::int64_t* nodes, std::int32_t j, std::int32_t k) const {
    return nodes + (std::int64_t{k} * ny() + j) * plan.row();
  }
  /// The transform of a row, which takes the row's place.
  Complex<Real>* half_row_at(std::int64_t* nodes, std::int32_t j, std::int32_t k) const {
    return reinterpret_cast<Complex<Real>*>(row_at(nodes, j, k));
  }

  /// Calls body(workspace, i) for i in [begin, end) on all threads, until the run is cancelled.
  template <class Body>
  void for_each(std::int32_t begin, std::int32_t end, SharedProgress& progress, Body&& body) {
    std::atomic<bool> stopped = false;
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads)
    for (std::int32_t i = begin; i < end; ++i) {
      if (stopped) continue;
      body(workspaces[static_cast<std::size_t>(omp_get_thread_num())], i);
      if (!progress.advance(1)) stopped = true;
    }
    if (stopped) progress.finish();
  }

  /// Transforms a row's sums in place. Returns false if all are 0, and so is their transform.
  bool transform_row(LineWorkspace<Real>& work, std::int64_t* sums) const {
    if (plan.axes[0].wraps)
      for (std::int64_t i = nx(); i < plan.row(); ++i) sums[i - nx()] += std::exchange(sums[i], 0);
    std::int64_t any = 0;
    for (std::int32_t i = 0; i < nx(); ++i) any |= sums[i];
    if (any == 0) return false;
    const auto unit = static_cast<Real>(1 / plan.numbers);
    for (std::int32_t i = 0; i < nx(); ++i) work.row.data()[i] = static_cast<Real>(sums[i]) * unit;
    row_forward.run(work.row.data(), work.half_row.data());
    std::memcpy(sums, work.half_row.data(),
                static_cast<std::size_t>(half()) * sizeof(Complex<Real>));
    return true;
  }

  /// Copies pieces of rows or planes to and from lines. The first piece is at `from`, and the
  /// pieces are `stride` numbers apart.
  struct Side {
    Complex<Real>* from;
    std::int64_t stride;
    std::size_t bytes;
    void load(Complex<Real>* lines, std::int32_t count) const {
      for (std::int32_t i = 0; i < count; ++i)
        std::memcpy(lines + kLines * i, from + i * stride, bytes);
    }
    void store(const Complex<Real>* lines, std::int32_t begin, std::int32_t end) const {
      for (std::int32_t i = begin; i < end; ++i)
        std::memcpy(from + i * stride, lines + kLines * i, bytes);
    }
  };
  /// The pieces of lines along y (in slice k) or z (in row j), from column i on.
  Side side(std::int64_t* nodes, std::int32_t i, std::int32_t j, std::int32_t k,
            std::int64_t rows) const {
    const auto stride = static_cast<std::int64_t>(static_cast<std::size_t>(plan.row_bytes()) /
                                                  sizeof(Complex<Real>));
    const std::int32_t count = std::min(kLines, half() - i);
    return {half_row_at(nodes, j, k) + i, stride * rows,
            static_cast<std::size_t>(count) * sizeof(Complex<Real>)};
  }

  void forward_slice(LineWorkspace<Real>& work, std::int64_t* nodes, std::int32_t k) const {
    bool any = false;
    for (std::int32_t j = 0; j < ny(); ++j)
      if (transform_row(work, row_at(nodes, j, k))) any = true;
    if (!any) return;
    for (std::int32_t i = 0; i < half(); i += kLines) {
      const Side lines = side(nodes, i, 0, k, 1);
      lines.load(work.lines.data(), ny());
      y_forward.run(work.lines.data());
      lines.store(work.lines.data(), 0, ny());
    }
  }

  /// Transforms the lines along z of row j, multiplies them and transforms them back.
  template <class Profile>
  void multiply_row(LineWorkspace<Real>& work, std::int64_t* nodes, std::int32_t j) const {
    for (std::int32_t i = 0; i < half(); i += kLines) {
      const Side lines = side(nodes, i, j, 0, ny());
      lines.load(work.lines.data(), nz());
      z_forward.run(work.lines.data());
      multiply_lines<Profile>(work.lines.data(), i, j);
      z_backward.run(work.lines.data());
      const SpectralAxis& slices = plan.axes[2];
      lines.store(work.lines.data(), slices.begin, slices.begin + slices.used());
    }
  }

  template <class Profile>
  void multiply_lines(Complex<Real>* lines, std::int32_t first, std::int32_t j) const {
    const Symmetric3& H = kernel.H;
    const double fy = factors[1].frequencies[static_cast<std::size_t>(j)];
    // w^T H w = rest + fz (mixed + Hzz fz).
    double rest[kLines], mixed[kLines];
    Real factor[kLines];
    for (int lane = 0; lane < kLines; ++lane) {
      const auto f = static_cast<std::size_t>(std::min(first + lane, half() - 1));
      const double fx = factors[0].frequencies[f];
      rest[lane] = H.xx * fx * fx + 2 * H.xy * fx * fy + H.yy * fy * fy;
      mixed[lane] = 2 * (H.xz * fx + H.yz * fy);
      factor[lane] = static_cast<Real>(factors[0].factors[f] *
                                       factors[1].factors[static_cast<std::size_t>(j)]);
    }
    for (std::int32_t k = 0; k < nz(); ++k) {
      const double fz = factors[2].frequencies[static_cast<std::size_t>(k)], own = H.zz * fz;
      const auto factor_z = static_cast<Real>(factors[2].factors[static_cast<std::size_t>(k)]);
      Real product[kLines];
      for (int lane = 0; lane < kLines; ++lane) {
        const double w2 = std::max(0.0, rest[lane] + fz * (mixed[lane] + own));
        product[lane] = factor[lane] * factor_z * Profile::transform(static_cast<Real>(w2));
      }
      for (int lane = 0; lane < kLines; ++lane) lines[kLines * k + lane] *= product[lane];
    }
  }

  /// Transforms slice k back and leaves the values of its cells along x and y in work.plane.
  void backward_slice(LineWorkspace<Real>& work, std::int64_t* nodes, std::int32_t k) const {
    const SpectralAxis& rows = plan.axes[1];
    const std::int32_t rows_end = rows.begin + rows.used();
    for (std::int32_t i = 0; i < half(); i += kLines) {
      const Side lines = side(nodes, i, 0, k, 1);
      lines.load(work.lines.data(), ny());
      y_backward.run(work.lines.data());
      lines.store(work.lines.data(), rows.begin, rows_end);
    }
    Real* to = y.interpolated() ? work.rows.data() : work.plane.data();
    for (std::int32_t j = rows.begin; j < rows_end; ++j) {
      if (!y.counts(j)) continue;
      std::memcpy(work.half_row.data(), half_row_at(nodes, j, k),
                  static_cast<std::size_t>(half()) * sizeof(Complex<Real>));
      row_backward.run(work.half_row.data(), work.row.data());
      x.take_row(work.row.data(), to);
      to += x.cells();
    }
    if (!y.interpolated()) return;
    for (std::int64_t j = 0; j < y.cells(); ++j)
      y.blend(j, work.rows.data(), x.cells(), work.plane.data() + j * x.cells());
  }

  template <class Value>
  void store(const Real* plane, Value* cells) const {
    for (std::int64_t i = 0; i < x.cells() * y.cells(); ++i)
      cells[i] = static_cast<Value>(std::max(plane[i], least));
  }

  template <class Value>
  void write_cells(std::int64_t* nodes, Value* cells, SharedProgress& progress) {
    const SpectralAxis& slices = plan.axes[2];
    const std::int64_t size = x.cells() * y.cells();
    // Not a vector: that would write all of it at once, on one thread.
    const auto count = static_cast<std::size_t>(z.interpolated() ? z.nodes() * size : 0);
    const auto planes = std::make_unique_for_overwrite<Real[]>(count);
    ask_for_huge_pages(planes.get(), count * sizeof(Real));
    const std::int32_t slices_end = slices.begin + slices.used();
    for_each(slices.begin, slices_end, progress, [&](LineWorkspace<Real>& work, std::int32_t k) {
      if (!z.counts(k)) return;
      backward_slice(work, nodes, k);
      const std::int64_t at = k - slices.begin;
      if (z.interpolated())
        std::copy(work.plane.begin(), work.plane.end(), planes.get() + at * size);
      else
        store(work.plane.data(), cells + at / static_cast<std::int64_t>(slices.step) * size);
    });
    if (!z.interpolated()) return;
    for_each(0, static_cast<std::int32_t>(z.cells()), progress,
             [&](LineWorkspace<Real>& work, std::int32_t k) {
               z.blend(k, planes.get(), size, work.plane.data());
               store(work.plane.data(), cells + k * size);
             });
  }
};

template <class Real>
SpectralTransform<Real>::SpectralTransform(const SpectralPlan& plan, const Kernel& kernel,
                                           const Grid& grid, int threads)
    : parts_(std::make_unique<Parts>(plan, kernel, grid, threads)) {}

template <class Real>
SpectralTransform<Real>::~SpectralTransform() = default;

template <class Real>
template <class Value>
void SpectralTransform<Real>::run(std::int64_t* nodes, Value* cells, bool keep_negatives,
                                  Progress& progress) {
  Parts& p = *parts_;
  p.least = keep_negatives ? std::numeric_limits<Real>::lowest() : Real(0);
  const SpectralAxis& slices = p.plan.axes[2];
  const std::int64_t steps =
      std::int64_t{p.nz()} + p.ny() + slices.used() + (p.z.interpolated() ? p.z.cells() : 0);
  SharedProgress shared(progress, "transform", static_cast<std::uint64_t>(steps), "slices");
  p.for_each(0, p.nz(), shared,
             [&](LineWorkspace<Real>& work, std::int32_t k) { p.forward_slice(work, nodes, k); });
  with_profile(p.kernel, [&]<class Profile>(const Profile&) {
    if constexpr (kHasTransform<Profile>)
      p.for_each(0, p.ny(), shared, [&](LineWorkspace<Real>& work, std::int32_t j) {
        p.template multiply_row<Profile>(work, nodes, j);
      });
  });
  p.write_cells(nodes, cells, shared);
  shared.finish();
}

template <class Real>
double SpectralTransform<Real>::bytes(const SpectralPlan& plan, const Grid& grid, int threads) {
  const auto size = static_cast<double>(grid.dims[0] * grid.dims[1]);
  const SpectralAxis &y = plan.axes[1], &z = plan.axes[2];
  double thread = size + (y.interpolated ? y.used() * static_cast<double>(grid.dims[0]) : 0);
  thread += 2.0 * kLines * std::max(y.nodes, z.nodes) + 3.0 * plan.axes[0].nodes;
  return sizeof(Real) * (thread * threads + (z.interpolated ? z.used() * size : 0));
}

template class SpectralTransform<float>;
template class SpectralTransform<double>;
template void SpectralTransform<float>::run(std::int64_t*, float*, bool, Progress&);
template void SpectralTransform<double>::run(std::int64_t*, float*, bool, Progress&);
template void SpectralTransform<double>::run(std::int64_t*, double*, bool, Progress&);

}  // namespace skde
