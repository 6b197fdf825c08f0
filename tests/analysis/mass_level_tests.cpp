#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "analysis/density_mass.hpp"
#include "analysis/mass_levels.hpp"
#include "core/report/error.hpp"
#include "support/catch.hpp"
#include "support/cells.hpp"

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
