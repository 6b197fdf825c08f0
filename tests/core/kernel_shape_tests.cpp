#include "core/kernel/kernel_shape.hpp"

#include <omp.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>

#include "core/cloud/synthetic_cloud.hpp"
#include "core/kernel/b_spline.hpp"
#include "core/kernel/kernel_function.hpp"
#include "core/kernel/kernel_profiles.hpp"
#include "core/kernel/kernel_work.hpp"
#include "core/kernel/power_profiles.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "ellipsoid_cases.hpp"
#include "precision_form.hpp"
#include "support/cases/thin_kernels.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using test::EllipsoidCase;
using test::EllipsoidCases;
using test::kTilted;

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
    test::check_thrown(ErrorKind::input, {"bandwidth matrix H"}, [&] { make_ellipsoid(H, grid); });
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

namespace {

/// Integrates the kernel times cos(w x) over space, by Simpson's rule along the radius on 4 pi r^2
/// k(r^2) sin(w r) / (w r).
template <class Profile>
double transform_by_quadrature(double w) {
  constexpr int kPoints = 20000;
  const double end = std::min(Profile::kSupport, 12.0), step = end / kPoints;
  double sum = 0;
  for (int i = 0; i <= kPoints; ++i) {
    const double r = i * step, turn = w * r;
    const double value = r * r * Profile::at(r * r) * (turn > 0 ? std::sin(turn) / turn : 1.0);
    // A kernel that jumps at its end counts with its value before the jump.
    const bool jump = i == kPoints && Profile::kDegree == 0;
    const double at = jump ? (w > 0 ? std::sin(turn) / turn : 1.0) * r * r : value;
    sum += at * (i == 0 || i == kPoints ? 1 : i % 2 == 1 ? 4 : 2);
  }
  return 4 * std::numbers::pi * Profile::kConstant * sum * step / 3;
}

template <class Profile>
void check_transform() {
  INFO(Profile::kName);
  REQUIRE(KernelFunction::named(Profile::kName)->has_transform == kHasTransform<Profile>);
  if constexpr (kHasTransform<Profile>) {
    for (const double w : {0.0, 0.01, 0.5, 1.0, 3.0, 5.9, 6.1, 9.0, 20.0, 55.0}) {
      INFO("at " << w);
      const double expected = transform_by_quadrature<Profile>(w);
      CHECK(std::abs(Profile::template transform<double>(w * w) - expected) < 1e-11);
      CHECK(std::abs(Profile::template transform<float>(float(w * w)) - expected) < 2e-6);
    }
  }
}

/// The B-spline of order M at `x` from its centre.
template <int M>
double spline_at(double x) {
  double values[M];
  const double node = std::floor(x);
  b_spline_values<M>(x - node, values);
  const int i = static_cast<int>(-node) + M / 2 - 1;  // index of the node 0
  return i >= 0 && i < M ? values[i] : 0;
}

template <int M>
void check_spline() {
  INFO("order " << M);
  constexpr int kSteps = 400;
  for (const double f : {0.0, 0.1, 0.5, 1.3}) {
    double sum = 0;
    for (int i = -M * kSteps; i < M * kSteps; ++i) {
      const double x = (i + 0.5) / kSteps;
      sum += spline_at<M>(x) * std::cos(2 * std::numbers::pi * f * x) / kSteps;
    }
    CHECK(std::abs(sum - b_spline_transform(M, f)) < 2e-5);
  }
  for (const double x : {0.0, 0.2, 0.77}) {
    double all = 0, first = 0;
    for (int node = -M; node <= M; ++node) {
      all += spline_at<M>(x - node);
      first += node * spline_at<M>(x - node);
    }
    CHECK(all == Approx(1).epsilon(1e-14));
    CHECK(std::abs(first - x) < 1e-13);  // linear functions are reproduced
    CHECK(spline_at<M>(x) == Approx(spline_at<M>(-x)));
  }
}

}  // namespace

TEST_CASE("The transform of each kernel is its integral against waves") {
  std::apply([](auto... profile) { (check_transform<decltype(profile)>(), ...); },
             KernelProfiles());
}

TEST_CASE("B-splines sum up to 1, keep lines, and have the transform that is stated") {
  check_spline<4>();
  check_spline<6>();
  check_spline<8>();
}

TEST_CASE("99 of 100 samples have kernels within the inner reach", "[shapes]") {
  for (const bool matrices : {false, true})
    for (const int wide : {5, 15}) {
      Samples samples;
      for (int i = 0; i < 1000; ++i) {
        const double width = i < wide ? 50 : 1;
        samples.xyz.insert(samples.xyz.end(), {0, 0, 0});
        if (matrices)
          samples.shapes.insert(samples.shapes.end(), {width * width, 0, 0, 4, 0, 1});
        else
          samples.bandwidth_factors.push_back(width);
      }
      ShapeSummary summary;
      summary.add(samples.view());
      INFO(wide << (matrices ? " wide matrices" : " wide factors"));
      CHECK(summary.largest().x == 50);
      CHECK(summary.inner().x >= (wide == 5 ? 1 : 50));
      CHECK(summary.inner().x < (wide == 5 ? 1.1 : 50.1));
      if (matrices) CHECK(summary.inner().y == 2);
    }
}

namespace {

constexpr std::size_t kAll = std::size_t{1} << 40;

}  // namespace

TEST_CASE("the work of samples is the sum over their kernels", "[kernel_work]") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {10, 11, 12}};
  // A ball of radius 2.1 about a cell centre covers 33 cells, of 45 in the cropped boxes.
  const Ellipsoid<double> ball = make_ellipsoid(Symmetric3::diagonal(4.41, 4.41, 4.41), grid);
  const Samples cloud{{5.5, 5.5, 5.5, 5.5, 5.5, -9, 4.5, 5.5, 6.5}, {}};
  const KernelWork work = count_work(ball, grid, cloud.view(), kAll);
  CHECK(work.updates == 66);
  CHECK(work.evaluated == 90);
  CHECK(work.slices == 10);
  CHECK(work.rows == 26);
  CHECK(work.unseen_weight == 0);
  CHECK(count_work(ball, grid, SamplesView{}, kAll).updates == 0);
}

TEST_CASE("some samples stand for the work of all", "[kernel_work]") {
  const Samples cloud = make_five_gaussians(1, 0, 20000);
  const Grid grid{{-5, -5, -5}, {0.1, 0.1, 0.1}, {60, 100, 100}};  // the box cuts kernels off
  const Ellipsoid<double> e = make_ellipsoid({0.3, 0.05, 0, 0.2, -0.04, 0.25}, grid);
  const KernelWork all = count_work(e, grid, cloud.view(), kAll);
  const KernelWork some = count_work(e, grid, cloud.view(), 2000);
  CHECK(some.updates == Approx(all.updates).epsilon(0.03));
  CHECK(some.evaluated == Approx(all.evaluated).epsilon(0.03));
}

TEST_CASE("kernels between the cell centres are unseen", "[kernel_work]") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {4, 4, 4}};
  const Ellipsoid<double> small = make_ellipsoid(Symmetric3::diagonal(0.01, 0.01, 0.01), grid);
  // On a centre, on a corner of cells, near a centre, and outside the grid.
  const Samples cloud{{1.5, 1.5, 1.5, 2, 2, 2, 2.5, 2.5, 2.55, 9, 2, 2}, {1, 2, 4, 8}};
  const KernelWork work = count_work(small, grid, cloud.view(), kAll);
  CHECK(work.updates == 2);
  CHECK(work.unseen_weight == 2);
  // A long needle along the diagonal of x and y that still lies between the centres.
  const Ellipsoid<double> needle = make_ellipsoid({1.0001, 1, 0, 1.0001, 0, 0.01}, grid);
  const Samples beside{{2, 2.5, 2.5}, {}};
  CHECK(count_work(needle, grid, beside.view(), kAll).unseen_weight == 1);
  CHECK(thinnest_half_width({1.0001, 1, 0, 1.0001, 0, 0.01}, grid) == Approx(0.01));
}

TEST_CASE("work is counted when it is first asked for", "[kernel_work]") {
  int counts = 0;
  WorkCount work;
  work += KernelWork{.updates = 1};
  for (const double updates : {2.0, 4.0})
    work.add_later([&counts, updates] {
      ++counts;
      return KernelWork{.updates = updates};
    });
  const WorkCount copy = work;
  work += KernelWork{.updates = 8};
  CHECK(counts == 0);
  CHECK(work.value().updates == 15);
  CHECK(copy.value().updates == 7);
  CHECK(work.value().updates == 15);
  CHECK(counts == 2);
}

TEST_CASE("the work is the same on any threads", "[kernel_work]") {
  Samples cloud = make_five_gaussians(1, 0, 5000);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.weights.push_back(1 / (1.5 + static_cast<double>(i * 7919 % 4999)));
  const Grid grid{{-5, -5, -5}, {0.5, 0.5, 0.5}, {20, 20, 20}};
  const Ellipsoid<double> e = make_ellipsoid(Symmetric3::diagonal(0.04, 0.04, 0.04), grid);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const KernelWork alone = count_work(e, grid, cloud.view(), kAll);
  CHECK(alone.unseen_weight > 0);
  for (int run = 0; run < 10; ++run) {
    omp_set_num_threads(2 + run);
    CHECK(count_work(e, grid, cloud.view(), kAll).unseen_weight == alone.unseen_weight);
  }
  omp_set_num_threads(before);
}

TEST_CASE("a slim kernel is one whose shortest half length says so", "[kernel_shape]") {
  // Half lengths along axes that a rotation about z, then x, has turned; of (1 - q), cut at q = 1.
  const double turn = 0.7, tilt = 1.1, c = std::cos(turn), s = std::sin(turn), d = std::cos(tilt),
               t = std::sin(tilt);
  const Vec3 axes[3] = {{c, s * d, s * t}, {-s, c * d, c * t}, {0, -t, d}};
  const auto is_slim = [&](const Vec3& lengths) {
    Symmetric3 H;
    for (int k = 0; k < 3; ++k) {
      const Vec3 v = lengths[k] * axes[k];
      H = H + Symmetric3{v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z};
    }
    const SampleShapes shapes({KernelFunction::epanechnikov, Symmetric3::diagonal(1, 1, 1)},
                              {{0, 0, 0}, {1, 1, 1}, {8, 8, 8}}, 0);
    return shapes.is_slim_matrix(H, 1.5);
  };
  for (const double longest : {1.6, 5.0, 20.0}) {
    CHECK(is_slim({1.49, longest, 1.6}));
    CHECK_FALSE(is_slim({longest, 1.6, 1.51}));
  }
  CHECK(is_slim({40, 40, 3.5}));  // sqrt(2) 40 / 16 = 3.54
  CHECK_FALSE(is_slim({3.6, 40, 40}));
  const SampleShapes factors({KernelFunction::epanechnikov, Symmetric3::diagonal(9, 4, 1)},
                             {{0, 0, 0}, {1, 1, 1}, {8, 8, 8}}, 0);
  CHECK(factors.is_slim_factor(1.49, 1.5));
  CHECK_FALSE(factors.is_slim_factor(1.51, 1.5));
}
