#include <omp.h>

#include <cmath>
#include <cstring>
#include <random>
#include <utility>

#include "analysis/comparison_volumes.hpp"
#include "analysis/density_comparison.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/references/comparison_reference.hpp"
#include "support/thrown_error.hpp"

namespace skde {
namespace {

using test::ComparisonReference;

/// Returns random values; the share `zeros` of them is 0.
template <class Real>
Volume random_density(const Grid& grid, unsigned seed, double zeros) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> uniform(0, 1);
  std::vector<Real> values(static_cast<std::size_t>(grid.cells()));
  for (Real& value : values)
    value = uniform(random) < zeros ? Real(0) : static_cast<Real>(std::pow(uniform(random), 4));
  return {grid, std::move(values)};
}

const Grid kComparedGrid{{-3, 1e4, 0.5}, {0.25, 2, 0.125}, {17, 9, 130}};

/// A normal density with unit deviations and this mean, on 64^3 cells over [-8, 8]^3.
Volume normal_density(Vec3 mean) {
  const Grid grid{{-8, -8, -8}, {0.25, 0.25, 0.25}, {64, 64, 64}};
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(grid.cells()));
  for (const auto& [i, j, k] : cells_of({64, 64, 64})) {
    const Vec3 u = grid.centre(i, j, k) - mean;
    values.push_back(std::exp(-0.5 * (u.x * u.x + u.y * u.y + u.z * u.z)) /
                     std::pow(2 * 3.14159265358979323846, 1.5));
  }
  return {grid, std::move(values)};
}

void check_alike(const DensityComparison& found, const ComparisonReference& expected) {
  const auto near = [](double value) { return Approx(value).epsilon(1e-11).margin(1e-12); };
  CHECK(found.mass_a == near(expected.mass_a));
  CHECK(found.mass_b == near(expected.mass_b));
  CHECK(found.overlap == near(expected.overlap));
  CHECK(found.l1 == near(expected.l1));
  CHECK(found.l2 == near(expected.l2));
  CHECK(found.hellinger == near(expected.hellinger));
  CHECK(found.a_from_b.value == near(expected.kl_a_from_b));
  CHECK(found.b_from_a.value == near(expected.kl_b_from_a));
  CHECK(found.a_from_b.undefined_mass == near(expected.only_a));
  CHECK(found.b_from_a.undefined_mass == near(expected.only_b));
  CHECK(found.jensen_shannon == near(expected.jensen_shannon));
  for (std::size_t axis = 0; axis < 3; ++axis)
    CHECK(found.earth_movers[axis] == near(expected.earth_movers[axis]));
}

}  // namespace

TEST_CASE("Distances of random densities are those of their definitions") {
  for (const bool normalize : {false, true})
    for (const double zeros : {0.0, 0.3}) {
      const Volume a = random_density<float>(kComparedGrid, 1, zeros),
                   b = random_density<double>(kComparedGrid, 2, zeros);
      check_alike(compare_densities({a, "a"}, {b, "b"}, normalize),
                  test::compare_by_definition(a, b, normalize));
    }
}

TEST_CASE("Distances of two normal densities are their closed forms") {
  // Unit deviations, means at a distance d: Hellinger^2 = 1 - exp(-d^2 / 8), KL = d^2 / 2, the
  // overlap is 2 Phi(-d / 2), and the marginals along x are shifted by d.
  constexpr double kApart = 1;
  const Volume a = normal_density({-kApart / 2, 0, 0}), b = normal_density({kApart / 2, 0, 0});
  const DensityComparison found = compare_densities({a, "a"}, {b, "b"}, false);
  CHECK(found.overlap == Approx(std::erfc(kApart / 2 / std::sqrt(2.0))).epsilon(2e-3));
  CHECK(found.l1 == Approx(2 * (1 - found.overlap)).epsilon(1e-9));
  CHECK(found.hellinger == Approx(std::sqrt(1 - std::exp(-kApart * kApart / 8))).epsilon(1e-6));
  CHECK(found.a_from_b.value == Approx(kApart * kApart / 2).epsilon(1e-6));
  CHECK(found.b_from_a.value == Approx(kApart * kApart / 2).epsilon(1e-6));
  CHECK(found.earth_movers[0] == Approx(kApart).epsilon(1e-6));
  CHECK(found.earth_movers[1] == Approx(0).margin(1e-12));
}

TEST_CASE("Densities that share no cell overlap by nothing, and one is not apart from itself") {
  const Grid grid{{}, {1, 1, 1}, {4, 1, 1}};
  const Volume a(grid, std::vector<double>{1, 0, 0, 0}), b(grid, std::vector<double>{0, 0, 0, 1});
  const DensityComparison apart = compare_densities({a, "a"}, {b, "b"}, false);
  CHECK(apart.overlap == 0);
  CHECK(apart.l1 == 2);
  CHECK(apart.hellinger == 1);
  CHECK(apart.a_from_b.undefined_mass == 1);
  CHECK(apart.jensen_shannon == Approx(std::log(2.0)));
  CHECK(apart.earth_movers[0] == 3);
  const DensityComparison same = compare_densities({a, "a"}, {a, "a"}, false);
  CHECK(same.overlap == 1);
  CHECK(same.l1 + same.hellinger + same.a_from_b.value + same.jensen_shannon == 0);
}

TEST_CASE("A comparison has the same bits for any number of threads") {
  const Volume a = random_density<float>(kComparedGrid, 3, 0.2),
               b = random_density<float>(kComparedGrid, 4, 0.2);
  const int before = omp_get_max_threads();
  omp_set_num_threads(1);
  const DensityComparison one = compare_densities({a, "a"}, {b, "b"}, true);
  omp_set_num_threads(7);
  const DensityComparison seven = compare_densities({a, "a"}, {b, "b"}, true);
  omp_set_num_threads(before);
  CHECK(one.overlap == seven.overlap);
  CHECK(one.hellinger == seven.hellinger);
  CHECK(one.a_from_b.value == seven.a_from_b.value);
  CHECK(one.jensen_shannon == seven.jensen_shannon);
  CHECK(one.earth_movers == seven.earth_movers);
}

TEST_CASE("Densities on other grids, and values that are none, are refused by name") {
  const Volume a = random_density<float>(kComparedGrid, 5, 0);
  Grid other = kComparedGrid;
  other.lower.x += 1e-7 * other.spacing.x;  // as in files that round
  const Volume near = random_density<float>(other, 6, 0);
  CHECK_NOTHROW(compare_densities({a, "a.vti"}, {near, "b.vti"}, false));
  other.lower.x += 0.1 * other.spacing.x;
  const Volume moved = random_density<float>(other, 6, 0);
  const Error error = test::thrown_error([&] {
    compare_densities({a, "a.vti"}, {moved, "b.vti"}, false);
  });
  CHECK(error.kind() == ErrorKind::input);
  CHECK(error.parameter() == "resample");
  CHECK(test::says(error, "a.vti and b.vti"));
  for (int axis = 0; axis < 3; ++axis) {  // same corner and dims, other upper faces
    Grid longer = kComparedGrid;
    longer.spacing[axis] *= 1.01;
    CHECK_THROWS_AS(compare_densities({a, "a"}, {random_density<float>(longer, 6, 0), "b"}, false),
                    Error);
  }
  std::vector<float> values(static_cast<std::size_t>(kComparedGrid.cells()), 1);
  for (const float bad : {-1e-9F, std::nanf(""), INFINITY}) {
    values[100] = bad;
    const Volume broken(kComparedGrid, values);
    CHECK(test::says(test::thrown_error([&] {
                       compare_densities({a, "a.vti"}, {broken, "b.vti"}, false);
                     }),
                     "b.vti: has values that are negative"));
  }
  const Volume empty(kComparedGrid, Precision::f32);
  CHECK(test::says(test::thrown_error([&] {
                     compare_densities({empty, "a.vti"}, {a, "b.vti"}, false);
                   }),
                   "a.vti: is 0 everywhere"));
}

TEST_CASE("Masses that differ are warned of, where they are not divided out") {
  const Volume a = random_density<double>(kComparedGrid, 7, 0);
  Volume b = a;
  b.scale(2);
  const DensityComparison found = compare_densities({a, "a"}, {b, "b"}, false);
  REQUIRE(comparison_warnings(found).size() == 1);
  CHECK(comparison_warnings(found)[0].advice.parameter == "normalize");
  const DensityComparison shapes = compare_densities({a, "a"}, {b, "b"}, true);
  CHECK(comparison_warnings(shapes).empty());
  CHECK(shapes.l1 == Approx(0).margin(1e-12));
  CHECK(shapes.overlap == Approx(1));
}

TEST_CASE("Ratios have a floor, which a logarithm needs") {
  const Volume a = random_density<double>(kComparedGrid, 8, 0.3),
               b = random_density<double>(kComparedGrid, 9, 0.3);
  const double peak = b.maximum();
  for (const bool logarithm : {false, true})
    for (const bool normalize : {false, true}) {
      const RatioSpec spec{0.01, logarithm, normalize};
      const DensityRatio ratio(a, b, spec);
      const double sa = normalize ? 1 / a.mass() : 1, sb = normalize ? 1 / b.mass() : 1;
      const double floor = 0.01 * peak * sb;
      CHECK(ratio.floor() == Approx(floor));
      const Volume slices = ratio.slices(20, 5);
      CHECK(slices.grid() == slab_of(kComparedGrid, 20, 5));
      double worst = 0;
      for (const auto& [i, j, k] : cells_of({17, 9, 5})) {
        const double p = sa * a.at(i, j, k + 20), q = sb * b.at(i, j, k + 20);
        const double over = q < floor ? floor : q;
        const double expected = logarithm ? std::log((p < floor ? floor : p) / over) : p / over;
        worst = std::max(worst, std::abs(slices.at(i, j, k) - expected));
      }
      CHECK(worst < 1e-12);
    }
  std::int64_t below = 0;
  for (const double value : b.values<double>()) below += value < 0.01 * peak ? 1 : 0;
  CHECK(DensityRatio(a, b, {0.01}).floored_cells() == below);
  for (const RatioSpec& bad : {RatioSpec{0, true}, RatioSpec{1}, RatioSpec{std::nan("")}})
    CHECK(test::thrown_error([&] { DensityRatio(a, b, bad); }).parameter() == "floor");
}

TEST_CASE("A density on other cells is trilinear between the centres, and 0 outside of its box") {
  const Volume source = random_density<double>({{0, 0, 0}, {1, 0.5, 2}, {6, 7, 5}}, 10, 0);
  const Grid onto{{-1, 0.3, -2}, {0.37, 0.21, 0.9}, {25, 12, 18}};
  const ResampledDensity moved = resampled_onto(source, onto, "a.vti");
  double worst = 0, outside = 0, sum = 0;
  for (const auto& [i, j, k] : cells_of(onto.dims)) {
    const double expected = test::trilinear_by_definition(source, onto.centre(i, j, k));
    worst = std::max(worst, std::abs(moved.volume.at(i, j, k) - expected));
    outside += expected == 0 ? 1 : 0;
    sum += expected;
  }
  CHECK(worst < 1e-13);
  CHECK(outside > 100);
  CHECK(moved.mass_before == Approx(source.mass()));
  CHECK(moved.mass_after == Approx(sum * onto.cell_volume()));
  double inside = 0;
  const Box box = onto.bounds();
  for (const auto& [i, j, k] : cells_of({6, 7, 5})) {
    const Vec3 at = source.grid().centre(i, j, k);
    bool within = true;
    for (int axis = 0; axis < 3; ++axis)
      within = within && at[axis] >= box.lower[axis] && at[axis] <= box.upper[axis];
    inside += within ? source.at(i, j, k) * source.grid().cell_volume() : 0;
  }
  CHECK(moved.mass_inside == Approx(inside));
  const ResampledDensity same = resampled_onto(source, source.grid(), "a.vti");
  CHECK(std::memcmp(same.volume.values<double>().data(), source.values<double>().data(),
                    source.values<double>().size_bytes()) == 0);
  CHECK(test::says(test::thrown_error([&] {
                     resampled_onto(source, {{50, 0, 0}, {1, 1, 1}, {2, 2, 2}}, "a.vti");
                   }),
                   "a.vti: its box holds no cell centre"));
}

namespace {

/// A density of uniform samples in a periodic box, and its standard errors, by plain sums.
std::pair<Volume, Volume> uniform_estimate(std::mt19937_64& random, double h, const Grid& grid,
                                           int samples) {
  std::uniform_real_distribution<double> place(0, 1);
  constexpr int kCells = 12;
  const double height = 1 / (h * std::sqrt(2 * std::acos(-1.0)));
  std::vector<double> f(kCells * kCells * kCells), squares(f.size());
  for (int i = 0; i < samples; ++i) {
    double k[3][kCells];
    for (auto& along : k) {
      const double at = place(random);
      for (int c = 0; c < kCells; ++c) {
        const double apart = (c + 0.5) / kCells - at, d = (apart - std::round(apart)) / h;
        along[c] = height * std::exp(-d * d / 2);
      }
    }
    for (std::size_t cell = 0; cell < f.size(); ++cell) {
      const double term = k[0][cell % 12] * k[1][cell / 12 % 12] * k[2][cell / 144] / samples;
      f[cell] += term;
      squares[cell] += term * term;
    }
  }
  for (std::size_t cell = 0; cell < f.size(); ++cell)
    squares[cell] = std::sqrt(squares[cell] - f[cell] * f[cell] / samples);
  return {Volume(grid, std::move(f)), Volume(grid, std::move(squares))};
}

}  // namespace

TEST_CASE("Equal densities pass as different no more often than the level of significance says") {
  const Grid grid{{0, 0, 0}, {1.0 / 12, 1.0 / 12, 1.0 / 12}, {12, 12, 12}};
  const double h = 0.15;
  const Kernel kernel{KernelFunction::gaussian, Symmetric3::diagonal(h * h, h * h, h * h)};
  std::mt19937_64 random(1);
  constexpr int kPairs = 100;
  int at_half = 0, at_twentieth = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const auto a = uniform_estimate(random, h, grid, 400),
               b = uniform_estimate(random, h, grid, 200);
    const auto found = [&](double level) {
      return density_significance({a.first, a.second, 400, 1, kernel},
                                  {b.first, b.second, 200, 1, kernel}, false, level)
          .second;
    };
    const DensitySignificance half = found(0.5), few = found(0.05);
    at_half += std::abs(half.largest) > half.threshold ? 1 : 0;
    at_twentieth += std::abs(few.largest) > few.threshold ? 1 : 0;
    CHECK(few.threshold > half.threshold);
  }
  CHECK(at_half <= kPairs / 2);
  CHECK(at_half >= kPairs / 20);
  CHECK(at_twentieth <= kPairs / 20);
}

TEST_CASE("Scores of densities count looks by cells without a kernel, and masses in what differs") {
  const Grid grid{{0, 0, 0}, {0.5, 1, 2}, {3, 2, 2}};
  const std::vector<double> none(12, 0.0), one(12, 1.0);
  std::vector<double> high = one, errors = none;
  high[7] = 9;
  errors[7] = 1;
  errors[3] = 1;
  const Volume a(grid, high), b(grid, one), of_a(grid, errors), of_b(grid, none);
  const auto [scores, found] = density_significance({a, of_a, 1e12}, {b, of_b, 1e12}, false, 0.05);
  CHECK(scores.at(1, 0, 1) == Approx(8));
  CHECK(std::erfc(found.threshold / std::sqrt(2.0)) == Approx(0.05 / 12));
  CHECK(found.largest == Approx(8));
  CHECK(found.place == grid.centre(1, 0, 1));
  CHECK(found.a_denser.volume == 1);
  CHECK(found.a_denser.mass_a == 9);
  CHECK(found.a_denser.mass_b == 1);
  CHECK(found.b_denser.volume == 0);
}

}  // namespace skde
