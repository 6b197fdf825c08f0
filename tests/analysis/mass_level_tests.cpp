#include "analysis/mass_levels.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "analysis/volume_planes.hpp"
#include "core/report/error.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"
#include "support/thrown_error.hpp"

namespace skde {
using test::cells_of;

namespace {

/// The standard normal density on cubes of n^3 cells over [-half, half]^3.
Volume normal_density(std::int64_t n, double half) {
  const double edge = 2 * half / static_cast<double>(n);
  const Grid grid{{-half, -half, -half}, {edge, edge, edge}, {n, n, n}};
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(grid.cells()));
  for (const auto& [i, j, k] : cells_of({n, n, n})) {
    const Vec3 x = grid.centre(i, j, k);
    values.push_back(std::exp(-0.5 * (x.x * x.x + x.y * x.y + x.z * x.z)) /
                     std::pow(2 * std::numbers::pi, 1.5));
  }
  return {grid, std::move(values)};
}

}  // namespace

TEST_CASE("Highest-density regions of a normal density are the balls of its chi-squared law") {
  // Mass within radius r: erf(r / sqrt 2) - sqrt(2 / pi) r exp(-r^2 / 2).
  const auto mass_within = [](double r) {
    return std::erf(r / std::sqrt(2.0)) -
           std::sqrt(2 / std::numbers::pi) * r * std::exp(-0.5 * r * r);
  };
  const Volume volume = normal_density(96, 6);
  for (const double radius : {0.8, 1.5, 2.5}) {
    const double mass = mass_within(radius);
    const MassLevel level = mass_levels(volume, std::vector{mass}).front();
    CHECK(level.mass == mass);
    CHECK(level.held == Approx(mass).epsilon(2e-3));
    CHECK(level.volume == Approx(4 * std::numbers::pi / 3 * std::pow(radius, 3)).epsilon(5e-3));
    CHECK(level.level ==
          Approx(std::exp(-0.5 * radius * radius) / std::pow(2 * std::numbers::pi, 1.5))
              .epsilon(2e-2));
  }
}

TEST_CASE("Levels keep the order that is asked for, and every region holds its mass") {
  std::mt19937_64 random(7);
  std::vector<float> values(1000);
  double sum = 0;
  for (float& value : values) sum += value = std::uniform_real_distribution<float>(0, 1)(random);
  const Volume volume({{}, {1, 1, 1}, {10, 10, 10}}, values);
  const std::vector masses{0.9, 0.1, 0.5};
  const std::vector<MassLevel> levels = mass_levels(volume, masses, sum);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    double held = 0, cells = 0;
    for (const float value : values)
      if (value >= levels[i].level) held += value, ++cells;
    CHECK(levels[i].held == Approx(held / sum));
    CHECK(levels[i].volume == cells);
    CHECK(held / sum >= masses[i]);
    CHECK((held - levels[i].level) / sum < masses[i]);
  }
}

TEST_CASE(
    "Masses that are none or lie outside of the box, and values that are no density, are refused") {
  const Volume volume = normal_density(16, 1);
  CHECK_THROWS_AS(mass_levels(volume, std::vector{1.0}), Error);
  CHECK_THROWS_AS(mass_levels(volume, std::vector{0.0}), Error);
  CHECK_THROWS_AS(mass_levels(volume, std::vector{std::nan("")}), Error);
  CHECK_THROWS_WITH(mass_levels(volume, std::vector{0.9}),
                    Catch::Matchers::ContainsSubstring("of the box hold"));
  const Grid two{{}, {1, 1, 1}, {2, 1, 1}};
  CHECK_THROWS_WITH(mass_levels({two, std::vector<double>{1, NAN}}, std::vector{0.5}),
                    Catch::Matchers::ContainsSubstring("cannot be a density"));
  CHECK_THROWS_WITH(density_mass({two, std::vector<double>{1, INFINITY}}, {}),
                    Catch::Matchers::ContainsSubstring("cannot be a density"));
  CHECK_THROWS_WITH(density_mass({two, std::vector<double>{1, -0.5}}, {}),
                    Catch::Matchers::ContainsSubstring("cannot be a density"));
  CHECK_THROWS_WITH(density_mass({two, std::vector<double>{0, 0}}, {}),
                    Catch::Matchers::ContainsSubstring("0"));
}

TEMPLATE_TEST_CASE("Levels are those of sorted values, of ties and zeros as well", "", float,
                   double) {
  std::mt19937_64 random(GENERATE(range(1, 6)));
  std::vector<TestType> values(9 * 11 * 13);
  const auto steps = std::uniform_int_distribution<int>(1, 60)(random);
  for (TestType& value : values) {  // over many powers of ten, with ties, zeros and negative values
    const auto step = std::uniform_int_distribution<int>(-2, steps)(random);
    value = step > 0 ? static_cast<TestType>(std::pow(7.0, step % 23) * step)
                     : static_cast<TestType>(step) / 1000;
  }
  const Volume volume({{}, {0.5, 2, 0.25}, {9, 11, 13}}, values);
  std::ranges::sort(values, std::greater<>{});
  long double whole = 0;
  for (const TestType value : values) whole += std::max<TestType>(value, 0);
  whole *= 0.25;
  std::vector<double> masses(40);  // more than a single search handles
  for (double& mass : masses) mass = std::uniform_real_distribution<>(0.001, 0.999)(random);
  const auto levels = mass_levels(volume, masses, static_cast<double>(whole));
  REQUIRE(levels.size() == masses.size());
  for (std::size_t i = 0; i < masses.size(); ++i) {
    long double held = 0;
    std::size_t cells = 0;
    while (held < masses[i] * whole) held += values[cells++] * 0.25L;
    CHECK(levels[i].mass == masses[i]);
    CHECK(levels[i].level == values[cells - 1]);
    CHECK(levels[i].volume == static_cast<double>(cells) * 0.25);
    CHECK(levels[i].held == Approx(static_cast<double>(held / whole)).epsilon(1e-12));
  }
}

TEST_CASE("A mass that cells hold to the last bit is that of these cells alone") {
  const Volume volume({{}, {1, 1, 1}, {8, 1, 1}},
                      std::vector<float>{0.25F, 1, 8, 0.5F, 2, 0, 4, 0.25F});  // the sum is 16
  const std::vector masses{0.5, 0.75, 0.875, 0.9375};
  const std::vector<MassLevel> levels = mass_levels(volume, masses, 16);
  for (std::size_t i = 0; i < masses.size(); ++i) {
    INFO(masses[i]);
    CHECK(levels[i].level == std::exp2(3 - static_cast<int>(i)));
    CHECK(levels[i].volume == static_cast<double>(i + 1));
    CHECK(levels[i].held == masses[i]);
  }
}

TEST_CASE("The mass of a volume follows from what its values are normalised to") {
  const Volume volume({{}, {1, 1, 1}, {4, 1, 1}}, std::vector<float>{0.5F, 0.25F, -1e-3F, 0.05F});
  DensityMetadata metadata;
  const DensityMass unknown = density_mass(volume, metadata);
  CHECK(unknown.inside == Approx(0.8));
  CHECK(unknown.whole == unknown.inside);
  CHECK(!unknown.whole_known);
  CHECK(unknown.outside() == 0);
  CHECK(unknown.negatives == 1);
  CHECK(unknown.least == Approx(-1e-3));
  CHECK(unknown.peak == 0.5);
  metadata.samples = 10;
  CHECK(density_mass(volume, metadata).outside() == Approx(0.2));
  metadata.normalization = Normalization::count;
  metadata.total_weight = 8;
  CHECK(density_mass(volume, metadata).outside() == Approx(0.9));
  metadata.normalization = Normalization::box;
  metadata.mass_in_box = 0.5;
  CHECK(density_mass(volume, metadata).whole == 2);
}

TEST_CASE("The mass in the box is what the file tells, and not the sum of coarse cells") {
  const Volume volume({{}, {1, 1, 1}, {4, 1, 1}}, std::vector<float>{0.5F, 0.25F, 0, 0.05F});
  DensityMetadata metadata;
  metadata.samples = 10;
  metadata.total_weight = 8;
  for (const auto& [normalization, whole] :
       {std::pair{Normalization::density, 1.0}, std::pair{Normalization::count, 8.0},
        std::pair{Normalization::box, 1 / 0.9}}) {
    metadata.normalization = normalization;
    metadata.mass_in_box = 0.9;
    const DensityMass mass = density_mass(volume, metadata);
    CHECK(mass.inside_told);
    CHECK(mass.cells == Approx(0.8));
    CHECK(mass.inside == Approx(0.9 * whole));
    CHECK(mass.outside() == Approx(0.1));
    CHECK(mass.whole_of_cells() == Approx(0.8 / 0.9));
  }
}

TEST_CASE("the mass above a density is that of all cells at least as dense") {
  const Volume normal = normal_density(96, 6);
  const MassAbove above(normal, 1);
  for (const auto& [deviations, mass] : {std::pair{1.0, 0.1987}, {2.0, 0.7385}, {3.0, 0.9707}}) {
    CHECK(std::abs(mass_within_deviations(deviations) - mass) < 5e-5);
    const double density =
        std::exp(-0.5 * deviations * deviations) / std::pow(2 * std::numbers::pi, 1.5);
    CHECK(std::abs(above.at(density) - mass) < 3e-3);
  }
  CHECK(above.at(1) == 0);
  CHECK(above.at(0) == 1);
  std::mt19937 random(3);
  std::uniform_int_distribution<int> value(-2, 9);  // with ties and values below 0
  const Grid grid{{0, 0, 0}, {1, 2, 0.5}, {11, 13, 3}};
  std::vector<double> values(static_cast<std::size_t>(grid.cells()));
  for (double& v : values) v = value(random);
  const MassAbove of_some(Volume(grid, values), 4000);
  const Volume shares = mass_above(Volume(grid, values), 4000);
  for (std::size_t cell = 0; cell < values.size(); ++cell) {
    double sum = 0;
    for (const double v : values) sum += v >= values[cell] && v > 0 ? v : 0;
    const double expected = values[cell] > 0 ? sum / 4000 : 1;
    REQUIRE(std::abs(shares.values<double>()[cell] - expected) < 1e-12);
    REQUIRE(of_some.at(values[cell]) == shares.values<double>()[cell]);
  }
}

}  // namespace skde

namespace skde {
namespace {

using test::says;
using test::thrown_error;

template <class Real>
Volume random_volume(const Grid& grid) {
  std::mt19937_64 random(5);
  std::vector<Real> values(static_cast<std::size_t>(grid.cells()));
  for (Real& value : values) value = std::uniform_real_distribution<Real>(-0.1F, 1)(random);
  return {grid, std::move(values)};
}

/// Returns the cell at a column and row of a plane, and at `along` on the plane's axis.
std::array<std::int64_t, 3> cell_of(int axis, std::int64_t column, std::int64_t row,
                                    std::int64_t along) {
  if (axis == 0) return {along, column, row};
  if (axis == 1) return {column, along, row};
  return {column, row, along};
}

const Grid kSlicedGrid{{10, -3, 100}, {0.5, 2, 0.25}, {4, 5, 7}};

}  // namespace

TEMPLATE_TEST_CASE("Slices are those of linear interpolation between layers of centres", "", float,
                   double) {
  const Volume volume = random_volume<TestType>(kSlicedGrid);
  for (const int axis : {0, 1, 2})
    for (const double share : {0.0, 0.01, 0.3, 0.5, 0.77, 1.0}) {
      const Box box = kSlicedGrid.bounds();
      const double at = box.lower[axis] + share * box.extent()[axis];
      const Projection plane = plane_slice(volume, axis, at);
      CHECK(plane.columns_axis == (axis == 0 ? 1 : 0));
      CHECK(plane.rows_axis == (axis == 2 ? 1 : 2));
      for (std::int64_t row = 0; row < plane.height; ++row)
        for (std::int64_t column = 0; column < plane.width; ++column) {
          // Linear interpolation between the layers; constant beyond the centres of the outer ones.
          const std::int64_t n = kSlicedGrid.dims[static_cast<std::size_t>(axis)];
          const double first = kSlicedGrid.centre(0, 0, 0)[axis], d = kSlicedGrid.spacing[axis];
          const double place = std::clamp(at, first, first + static_cast<double>(n - 1) * d);
          double expected = 0;
          for (std::int64_t along = 0; along < n; ++along) {
            const double centre = first + static_cast<double>(along) * d;
            const auto [i, j, k] = cell_of(axis, column, row, along);
            expected += std::max(0.0, 1 - std::abs(place - centre) / d) * volume.at(i, j, k);
          }
          CHECK(plane.at(column, row) == Approx(expected).margin(1e-12));
        }
    }
}

TEST_CASE("Slices outside of the box are refused, and sheets lie evenly within it") {
  const Volume volume = random_volume<float>(kSlicedGrid);
  CHECK(says(thrown_error([&] { plane_slice(volume, 2, 99.9); }), "outside"));
  CHECK(says(thrown_error([&] { plane_slice(volume, 0, std::nan("")); }), "outside"));
  CHECK(even_places(kSlicedGrid, 1, 1) == std::vector{2.0});
  CHECK(even_places(kSlicedGrid, 1, 5) == std::vector{-2.0, 0.0, 2.0, 4.0, 6.0});
}

TEMPLATE_TEST_CASE("Line integrals and maxima are those of every line of cells", "", float,
                   double) {
  const Volume volume = random_volume<TestType>(kSlicedGrid);
  for (const int axis : {0, 1, 2}) {
    const Projection integrals = line_integrals(volume, axis), maxima = line_maxima(volume, axis);
    CHECK(maxima.columns_axis == integrals.columns_axis);
    CHECK(maxima.rows_axis == integrals.rows_axis);
    const std::int64_t n = kSlicedGrid.dims[static_cast<std::size_t>(axis)];
    double mass = 0;
    for (std::int64_t row = 0; row < integrals.height; ++row)
      for (std::int64_t column = 0; column < integrals.width; ++column) {
        double sum = 0, greatest = -1;
        for (std::int64_t along = 0; along < n; ++along) {
          const auto [i, j, k] = cell_of(axis, column, row, along);
          sum += volume.at(i, j, k);
          greatest = std::max(greatest, volume.at(i, j, k));
        }
        CHECK(integrals.at(column, row) == Approx(sum * kSlicedGrid.spacing[axis]).epsilon(1e-12));
        CHECK(maxima.at(column, row) == greatest);
        mass += integrals.at(column, row);
      }
    CHECK(mass * kSlicedGrid.cell_volume() / kSlicedGrid.spacing[axis] ==
          Approx(volume.mass()).epsilon(1e-12));
  }
}

}  // namespace skde
