#include "core/kernel/kernel_shape.hpp"

#include <cmath>

#include "ellipsoid_cases.hpp"
#include "precision_form.hpp"
#include "support/cases/thin_kernels.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using test::EllipsoidCase;
using test::EllipsoidCases;
using test::kTilted;
using test::says;
using test::thrown_error;

namespace {

/// Counts the cells with q < level, by the definition.
std::int64_t cells_below(const EllipsoidCase& c, long double level) {
  const test::PrecisionForm form(c.H, c.spacing);
  std::int64_t count = 0;
  for (std::int32_t k = 0; k < c.dims[2]; ++k)
    for (std::int32_t j = 0; j < c.dims[1]; ++j)
      for (std::int32_t i = 0; i < c.dims[0]; ++i)
        count += form.q(i - c.centre.x, j - c.centre.y, k - c.centre.z) < level;
  return count;
}

}  // namespace

TEST_CASE("the amplitude makes a density of the kernel", "[kernel_shape]") {
  for (KernelFunction function : kKernelFunctions) {
    const Kernel kernel{function, kTilted};
    const double side = 0.05 * std::ceil(kernel.cut());  // the grid holds the whole kernel
    const Grid grid{{-3, -3, -3}, {side, side, side}, {120, 120, 120}};
    const test::PrecisionForm form(kernel.H, grid.spacing);
    double mass = 0;
    for (int k = 0; k < 120; ++k)
      for (int j = 0; j < 120; ++j)
        for (int i = 0; i < 120; ++i) {
          const auto q = static_cast<double>(form.q(i - 59.5, j - 59.5, k - 59.5));
          mass += function->profile(q);
        }
    INFO(function->name);
    CHECK(kernel.amplitude() * mass * grid.cell_volume() == Approx(1).epsilon(3e-3));
  }
}

TEST_CASE("needles and plates keep their amplitude and their factors", "[kernel_shape]") {
  const Vec3 spacing{0.5, 2, 0.1};
  for (const double ratio : test::kThinRatios)
    for (const test::ThinKernel& thin : test::thin_kernels(1 / ratio, ratio)) {
      INFO("axes " << thin.radii.x << ", " << thin.radii.y << ", " << thin.radii.z);
      // Relative accuracy to which the entries of H, in double, determine its shortest axis.
      const double known = 20 * 0x1p-53 * ratio * ratio;
      const Kernel kernel{KernelFunction::epanechnikov, thin.H()};
      const double volume = thin.radii.x * thin.radii.y * thin.radii.z;
      CHECK(kernel.amplitude() * volume == Approx(kernel.function->constant).epsilon(known));
      const Ellipsoid<double> e = make_ellipsoid(kernel.H, {{7, 8, 9}, spacing, {4, 5, 6}});
      for (const Vec3 along :
           {Vec3{0.5, 0, 0}, Vec3{0, 0.5, 0}, Vec3{0, 0, 0.5}, {0.7, 0.6, -0.5}}) {
        const Vec3 at = thin.place(along);
        CHECK(e.q(at.x / spacing.x, at.y / spacing.y, at.z / spacing.z) ==
              Approx(static_cast<double>(thin.q({}, at))).epsilon(known));
      }
    }
}

TEST_CASE("the half extents are the roots of the diagonal of H", "[kernel_shape]") {
  const Vec3 half = Kernel{KernelFunction::epanechnikov, kTilted}.half_extents();
  CHECK(half.x == 2);
  CHECK(half.y == Approx(std::sqrt(3.0)));
  CHECK(half.z == Approx(std::sqrt(2.0)));
}

TEST_CASE("the ellipsoid of H is in units of the cells", "[kernel_shape]") {
  const Vec3 spacing{0.5, 2, 0.1};
  const Ellipsoid<double> e = make_ellipsoid(kTilted, {{7, 8, 9}, spacing, {4, 5, 6}});
  const test::PrecisionForm form(kTilted, {1, 1, 1});  // offsets in world units
  for (Vec3 d : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{3, -0.5, 2}, Vec3{-1, 2, -7}})
    CHECK(e.q(d.x, d.y, d.z) ==
          Approx(double(form.q(d.x * spacing.x, d.y * spacing.y, d.z * spacing.z))));
}

TEST_CASE("a matrix that is not positive definite has no ellipsoid", "[kernel_shape]") {
  const Grid grid{{}, {1, 1, 1}, {4, 4, 4}};
  for (const Symmetric3& H :
       {Symmetric3{}, Symmetric3::diagonal(1, 1, 0), Symmetric3::diagonal(1, -1, 1),
        Symmetric3{1, 1, 0, 1, 0, 1}, Symmetric3{1, 2, 0, 1, 0, 1}, Symmetric3::diagonal(NAN, 1, 1),
        Symmetric3::diagonal(1, INFINITY, 1)}) {
    const Error error = thrown_error([&] { make_ellipsoid(H, grid); });
    CHECK(error.kind() == ErrorKind::input);
    CHECK(says(error, "bandwidth matrix H"));
  }
  CHECK_NOTHROW(make_ellipsoid(Symmetric3::diagonal(1e-12, 1, 1e12), grid));
}

TEST_CASE("the counted cells are those with q < 1", "[kernel_shape]") {
  EllipsoidCases cases(21);
  std::int64_t total = 0;
  for (int n = 0; n < 200; ++n) {
    const EllipsoidCase c = cases.next();
    INFO("case " << n << ": " << c);
    const Grid grid{c.lower, c.spacing, {c.dims[0], c.dims[1], c.dims[2]}};
    const Vec3 position{c.lower.x + (c.centre.x + 0.5) * c.spacing.x,
                        c.lower.y + (c.centre.y + 0.5) * c.spacing.y,
                        c.lower.z + (c.centre.z + 0.5) * c.spacing.z};
    const CellCounts counts = count_cells(make_ellipsoid(c.H, grid), grid, position);
    CHECK(counts.inside >= cells_below(c, 1 - 1e-8L));
    CHECK(counts.inside <= cells_below(c, 1 + 1e-8L));
    CHECK(counts.evaluated >= counts.inside);
    CHECK(counts.full >= counts.evaluated);
    CHECK(counts.full == counts.slices * c.dims[0] * c.dims[1]);
    total += counts.inside;
  }
  CHECK(total > 5000);  // not all cases lie outside the grid
}

TEST_CASE("cell counts of a ball of radius 2, by hand", "[kernel_shape]") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {10, 11, 12}};
  // A ball of radius 2.1 about a cell centre covers 1 + 6 + 12 + 8 + 6 cells.
  const Ellipsoid<double> e = make_ellipsoid(Symmetric3::diagonal(4.41, 4.41, 4.41), grid);
  CellCounts counts = count_cells(e, grid, {5.5, 5.5, 5.5});
  CHECK(counts.slices == 5);
  CHECK(counts.full == 5 * 110);
  CHECK(counts.evaluated == 25 + 9 + 9 + 1 + 1);
  CHECK(counts.inside == 33);
  CHECK(counts.rows == 5 + 3 + 3 + 1 + 1);
  counts += count_cells(e, grid, {5.5, 5.5, -9});
  counts += count_cells(e, grid, {5.5, 5.5, 5.5});
  CHECK(counts.slices == 10);
  CHECK(counts.full == 1100);
  CHECK(counts.evaluated == 90);
  CHECK(counts.inside == 66);
  CHECK(counts.rows == 26);
}
