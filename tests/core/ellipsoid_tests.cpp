#include "core/kernel/ellipsoid.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include "core/kernel/kernel_shape.hpp"
#include "ellipsoid_cases.hpp"
#include "precision_form.hpp"
#include "support/catch.hpp"

using namespace skde;
using test::EllipsoidCase;
using test::EllipsoidCases;
using test::Interval;
using test::PrecisionForm;

namespace {

Grid grid_of(const EllipsoidCase& c) {
  return {c.lower, c.spacing, {c.dims[0], c.dims[1], c.dims[2]}};
}

bool holds(const std::optional<Interval>& interval, long double offset) {
  return interval && interval->low <= offset && offset <= interval->high;
}

/// Runs chop, crop and span in Real and compares them with the precision form. Cells whose |q - 1|
/// is below tolerance() may fall on either side.
template <class Real>
class Trial {
 public:
  Trial(const EllipsoidCase& c, bool anchored)
      : case_(c), form_(c.H, c.spacing), e_(make_ellipsoid(c.H, grid_of(c)).template cast<Real>()) {
    for (int axis = 0; axis < 3; ++axis) {
      anchor_[axis] = anchored ? static_cast<std::int32_t>(std::lround(c.centre[axis])) : 0;
      offset_[axis] = static_cast<Real>(c.centre[axis] - anchor_[axis]);
    }
  }

  /// Differences in Real lose accuracy by the ratio of the widths; those in H, in double, by its
  /// square.
  double tolerance() const {
    const double x = static_cast<double>(e_.rx / e_.sx), y = static_cast<double>(e_.ry / e_.sy);
    return 16 * (std::numeric_limits<Real>::epsilon() * (1 + x + y) +
                 std::numeric_limits<double>::epsilon() * (x * x + y * y));
  }

  void check_chop() const {
    const IndexRange slices = chop(e_, offset_[2], case_.dims[2], anchor_[2]);
    CHECK(within(slices, case_.dims[2]));
    int wrong = 0;
    for (std::int32_t k = 0; k < case_.dims[2]; ++k)
      wrong += misplaced(has(slices, k), form_.heights(inner()), form_.heights(outer()), d(2, k));
    CHECK(wrong == 0);
  }

  void check_crop() const {
    int wrong = 0;
    for (std::int32_t k = 0; k < case_.dims[2]; ++k) {
      const Real dz = distance(2, k);
      const GridRange box = crop(e_, offset_[0], offset_[1], dz, case_.dims[0], case_.dims[1],
                                 anchor_[0], anchor_[1]);
      REQUIRE(within(box.x, case_.dims[0]));
      REQUIRE(within(box.y, case_.dims[1]));
      for (int axis = 0; axis < 2; ++axis)
        for (std::int32_t i = 0; i < case_.dims[axis]; ++i)
          wrong += misplaced(has(axis == 0 ? box.x : box.y, i), form_.slice(axis, dz, inner()),
                             form_.slice(axis, dz, outer()), d(axis, i));
    }
    CHECK(wrong == 0);
  }

  /// Checks every cell of the grid: chop, crop and span cover it where q < 1.
  void check_cells() const {
    const std::vector<char> covered = cover();
    std::size_t cell = 0;
    int missed = 0, needless = 0;
    for (std::int32_t k = 0; k < case_.dims[2]; ++k)
      for (std::int32_t j = 0; j < case_.dims[1]; ++j)
        for (std::int32_t i = 0; i < case_.dims[0]; ++i, ++cell) {
          const long double q = form_.q(d(0, i), d(1, j), d(2, k));
          missed += q < inner() && !covered[cell];
          needless += q > outer() && covered[cell];
        }
    CHECK(missed == 0);
    CHECK(needless == 0);
  }

  void check_q() const {
    for (std::int32_t k = 0; k < case_.dims[2]; k += 3)
      for (std::int32_t i = 0; i < case_.dims[0]; i += 2) {
        const std::int32_t j = (5 * k + 3 * i) % case_.dims[1];
        const auto q = static_cast<double>(form_.q(d(0, i), d(1, j), d(2, k)));
        const auto got = static_cast<double>(e_.q(distance(0, i), distance(1, j), distance(2, k)));
        if (q < 100) REQUIRE(std::abs(got - q) <= tolerance() * (1 + q));
      }
  }

 private:
  long double inner() const { return 1 - tolerance(); }
  long double outer() const { return 1 + tolerance(); }
  Real distance(int axis, std::int32_t i) const {
    return static_cast<Real>(i - anchor_[axis]) - offset_[axis];
  }
  long double d(int axis, std::int32_t i) const {
    return static_cast<long double>(i) - anchor_[axis] - static_cast<long double>(offset_[axis]);
  }
  static bool has(IndexRange r, std::int32_t i) { return r.begin <= i && i < r.end; }
  static bool within(IndexRange r, std::int32_t cells) {
    return r.empty() || (r.begin >= 0 && r.end <= cells);
  }
  static int misplaced(bool in, const std::optional<Interval>& required,
                       const std::optional<Interval>& allowed, long double offset) {
    return (!in && holds(required, offset)) || (in && !holds(allowed, offset)) ? 1 : 0;
  }

  std::vector<char> cover() const {
    const auto [nx, ny, nz] = case_.dims;
    std::vector<char> covered(static_cast<std::size_t>(nx * ny * nz));
    const IndexRange slices = chop(e_, offset_[2], nz, anchor_[2]);
    for (std::int32_t k = slices.begin; k < slices.end; ++k) {
      const Real dz = distance(2, k);
      const GridRange box = crop(e_, offset_[0], offset_[1], dz, nx, ny, anchor_[0], anchor_[1]);
      for (std::int32_t j = box.y.begin; j < box.y.end; ++j) {
        const RowSpan<Real> row = span(e_, distance(1, j), dz);
        if (row.half < 0) continue;
        const IndexRange cells = cells_within(offset_[0] + row.centre, row.half, nx, anchor_[0]);
        for (std::int32_t i = cells.begin; i < cells.end; ++i) {
          const std::int32_t cell = (k * ny + j) * nx + i;
          if (has(box.x, i)) covered[static_cast<std::size_t>(cell)] = 1;
        }
      }
    }
    return covered;
  }

  EllipsoidCase case_;
  PrecisionForm form_;
  Ellipsoid<Real> e_;
  std::array<std::int32_t, 3> anchor_{};
  std::array<Real, 3> offset_{};
};

template <class Real>
void run_trials(std::uint64_t seed, int trials, bool anchored) {
  EllipsoidCases cases(seed);
  for (int n = 0; n < trials; ++n) {
    const EllipsoidCase c = cases.next();
    INFO("case " << n << (anchored ? ", anchored: " : ": ") << c);
    const Trial<Real> trial(c, anchored);
    if constexpr (std::is_same_v<Real, double>) REQUIRE(trial.tolerance() < 1e-5);
    trial.check_chop();
    trial.check_crop();
    trial.check_cells();
    trial.check_q();
  }
}

Ellipsoid<double> ball(double radius) {
  const double square = radius * radius;
  return make_ellipsoid(Symmetric3::diagonal(square, square, square), {{}, {1, 1, 1}, {9, 9, 9}});
}

}  // namespace

TEST_CASE("chop, crop and span leave the cells with q < 1 and no others", "[ellipsoid]") {
  run_trials<double>(1, 400, false);
  run_trials<double>(2, 400, true);
}

TEST_CASE("chop, crop and span hold in float about an anchor", "[ellipsoid]") {
  run_trials<float>(3, 400, true);
}

TEST_CASE("the half extents of the whole ellipsoid are those of its box", "[ellipsoid]") {
  EllipsoidCases cases(4);
  for (int n = 0; n < 100; ++n) {
    const EllipsoidCase c = cases.next();
    INFO(c);
    const Ellipsoid<double> e = make_ellipsoid(c.H, grid_of(c));
    CHECK(e.rx == Approx(std::sqrt(c.H.xx) / c.spacing.x));
    CHECK(e.ry == Approx(std::sqrt(c.H.yy) / c.spacing.y));
    CHECK(e.sz == Approx(std::sqrt(c.H.zz) / c.spacing.z));
    CHECK(e.ex == Approx(std::sqrt(c.H.xx - c.H.xz * c.H.xz / c.H.zz) / c.spacing.x));
    CHECK(e.sx * e.inv_sx == Approx(1));
    CHECK(e.sy * e.inv_sy == Approx(1));
    CHECK(e.sz * e.inv_sz == Approx(1));
  }
}

TEST_CASE("a slice or a row that misses the ellipsoid has no cells", "[ellipsoid]") {
  const Ellipsoid<double> e = ball(2);
  CHECK(crop(e, 4.0, 4.0, 2.0, 9, 9).cells() == 0);
  CHECK(crop(e, 4.0, 4.0, -2.5, 9, 9).cells() == 0);
  CHECK(crop(e, 4.0, 4.0, 1e300, 9, 9).cells() == 0);
  CHECK(crop(e, 4.0, 4.0, 0.0, 9, 9).cells() == 25);
  CHECK(span(e, 2.0, 0.0).half < 0);
  CHECK(span(e, 1.5, 1.5).half < 0);
  CHECK(span(e, 1.0, 1.0).half == Approx(std::sqrt(2.0)));
  CHECK(chop(e, -2.5, 9).empty());
  CHECK(chop(e, 4.5, 9).size() == 4);
}

TEST_CASE("a kernel smaller than a cell covers one cell or none", "[ellipsoid]") {
  const Ellipsoid<double> e = ball(0.3);
  CHECK(chop(e, 3.1, 9).begin == 3);
  CHECK(chop(e, 3.1, 9).size() == 1);
  CHECK(chop(e, 3.5, 9).empty());
  CHECK(crop(e, 3.0, 5.0, 0.1, 9, 9).cells() == 1);
  CHECK(crop(e, 3.0, 5.5, 0.1, 9, 9).cells() == 0);
}

TEMPLATE_TEST_CASE("cells_within is clipped to the grid from any distance", "[ellipsoid]", float,
                   double) {
  const auto cells = [](double centre, double half, std::int32_t n, std::int32_t anchor = 0) {
    const IndexRange r =
        cells_within(static_cast<TestType>(centre), static_cast<TestType>(half), n, anchor);
    return std::pair{r.begin, r.end};
  };
  using Pair = std::pair<std::int32_t, std::int32_t>;
  CHECK(cells(4, 1.5, 10) == Pair{3, 6});
  CHECK(cells(4, 0, 10) == Pair{4, 5});
  CHECK(cells(0.5, 1.5, 10) == Pair{0, 3});
  CHECK(cells(-0.5, 1.5, 10) == Pair{0, 2});
  CHECK(cells(9.25, 3.5, 10) == Pair{6, 10});
  CHECK(cells(-0.75, 1.5, 10, 5) == Pair{3, 6});
  CHECK(cells(1, 2, 10, -3) == Pair{0, 1});
  CHECK(cells(0, 1e30, 10) == Pair{0, 10});
  CHECK(cells(0, 1e30, 10, -3) == Pair{0, 10});
  CHECK(cells(3, 1e30, 2147483647, 2147483646) == Pair{0, 2147483647});
  CHECK(cells(0, 2, 2147483647, 2147483646) == Pair{2147483644, 2147483647});
  CHECK(cells(5e9, 6e9, 10) == Pair{0, 10});
  for (double far : {20.0, 1e9, 5e9, 1e18, 1e30, double(INFINITY)})
    for (double sign : {-1.0, 1.0}) {
      INFO("centre " << sign * far);
      CHECK(cells(sign * far, 3, 10) == Pair{0, 0});
      CHECK(cells(sign * far, 3, 10, sign < 0 ? -2147483647 : 2147483647) == Pair{0, 0});
    }
  CHECK(cells(NAN, 3, 10) == Pair{0, 0});
  CHECK(cells(3, NAN, 10) == Pair{0, 0});
  CHECK(cells(3, -1, 10) == Pair{0, 0});
}
