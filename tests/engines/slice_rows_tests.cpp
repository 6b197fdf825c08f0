#include "engines/cpu/span/slice_rows.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernel/kernel_shape.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/density_cases.hpp"
#include "support/catch.hpp"
#include "support/references/reference.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Makes a case of one slice of nx * ny cells, with samples in and around it.
DensityCase slice_case(std::int64_t nx, std::int64_t ny, Vec3 half_axes) {
  DensityCase result{"", {}, random_rotated(5, half_axes), Grid{}};
  result.grid = Grid{{0, 0, 0}, {1, 1, 1}, {nx, ny, 1}};
  Random random(static_cast<std::uint64_t>(nx));
  Box around = result.grid.bounds();
  around.lower = around.lower - Vec3{4, 4, 3};
  around.upper = around.upper + Vec3{4, 4, 3};
  add_uniform(result.cloud, random, around, 60);
  return result;
}

template <class Real>
std::vector<SliceSample<Real>> placed(const DensityCase& density_case, KernelFunction function) {
  const Ellipsoid<double> ellipsoid = make_ellipsoid(density_case.H, density_case.grid);
  const double weight = peak_of_one_kernel(function, density_case.H, 1, 1);
  std::vector<SliceSample<Real>> samples;
  const SamplesView points = density_case.cloud.view();
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto p = place_sample<Real>(density_case.grid, ellipsoid, points.point(i));
    samples.push_back({{p.cell[0], p.cell[1], p.cell[2]},
                       {p.offset[0], p.offset[1], p.offset[2]},
                       static_cast<Real>(weight)});
  }
  return samples;
}

/// Returns the largest error as a share of the peak, and checks that the slice's earlier values are
/// kept.
template <class Real>
double error_of_slice(const DensityCase& density_case, const Reference& reference,
                      KernelFunction function) {
  const auto nx = static_cast<std::int32_t>(density_case.grid.dims[0]),
             ny = static_cast<std::int32_t>(density_case.grid.dims[1]);
  const auto ellipsoid = make_ellipsoid(density_case.H, density_case.grid).template cast<Real>();
  const std::vector<SliceSample<Real>> samples = placed<Real>(density_case, function);
  const double one_kernel = peak_of_one_kernel(function, density_case.H, 1, 1);
  const double peak = std::max(reference.peak(function), one_kernel);
  const Real before = static_cast<Real>(one_kernel);  // the values already in the slice
  SliceRows<Real> rows(nx, ny);
  add_samples<Real>(rows, samples, 0, function, ellipsoid);
  std::vector<Real> slice(static_cast<std::size_t>(nx * ny), before);
  rows.move_to(slice.data());
  CHECK(*std::max_element(rows.row(0), rows.row(0) + nx) == 0);
  const Bracket& bracket =
      reference.uniform_in(sizeof(Real) == sizeof(float) ? Precision::f32 : Precision::f64);
  double worst = 0;
  for (std::size_t i = 0; i < slice.size(); ++i) {
    const double value = static_cast<double>(slice[i]) - static_cast<double>(before);
    const bool jumps = function == KernelFunction::uniform;
    const double low = jumps ? bracket.low[i] : reference.of(function)[i];
    const double high = jumps ? bracket.high[i] : reference.of(function)[i];
    worst = std::max({worst, (low - value) / peak, (value - high) / peak});
  }
  return worst;
}

void check_slices(std::int64_t nx, std::int64_t ny, Vec3 half_axes) {
  INFO(nx << " x " << ny << " cells, kernels of " << half_axes.x);
  const DensityCase density_case = slice_case(nx, ny, half_axes);
  const Reference reference =
      make_reference(density_case.cloud.view(), density_case.H, density_case.grid, 1);
  for (const KernelFunction function : kKernelFunctions) {
    if (!function->degree) continue;
    INFO(function->name);
    CHECK(error_of_slice<float>(density_case, reference, function) < 1e-5);
    CHECK(error_of_slice<double>(density_case, reference, function) < 1e-13);
  }
}

}  // namespace

TEST_CASE("rows of any length are summed, vectors reach past none", "[slice_rows]") {
  for (std::int64_t nx = 1; nx <= 50; ++nx) check_slices(nx, 6, {7, 3, 4});
}

TEST_CASE("slices of kernels of any size are summed", "[slice_rows]") {
  for (const double size : {0.2, 0.6, 2.0, 15.0, 90.0})
    for (const std::int64_t ny : {1, 2, 19}) check_slices(33, ny, {size, 0.8 * size, 1.2 * size});
}
