#include "analysis/answers/density_peaks.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>

#include "support/catch.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using skde::test::silent;
using skde::test::thrown_error;

namespace {

const KeepsPeak kAll = [](double, double, std::size_t) { return true; };

/// Returns the cells reached from a start over cells of at least a level, by corners too.
std::set<std::int64_t> reached(const std::vector<double>& values, const Grid& grid,
                               std::int64_t start, double level) {
  std::set<std::int64_t> seen{start};
  std::vector<std::int64_t> open{start};
  const auto [nx, ny, nz] = grid.dims;
  while (!open.empty()) {
    const std::int64_t at = open.back(), x = at % nx, y = at / nx % ny, z = at / nx / ny;
    open.pop_back();
    for (std::int64_t k = std::max<std::int64_t>(z - 1, 0); k < std::min(z + 2, grid.dims[2]); ++k)
      for (std::int64_t j = std::max<std::int64_t>(y - 1, 0); j < std::min(y + 2, grid.dims[1]);
           ++j)
        for (std::int64_t i = std::max<std::int64_t>(x - 1, 0); i < std::min(x + 2, grid.dims[0]);
             ++i) {
          const std::int64_t next = i + grid.dims[0] * (j + grid.dims[1] * k);
          if (values[static_cast<std::size_t>(next)] >= level && seen.insert(next).second)
            open.push_back(next);
        }
  }
  return seen;
}

/// Returns the highest level at which a higher cell is reached from a cell; 0 if at none.
double saddle_of(const std::vector<double>& values, const Grid& grid, std::int64_t cell) {
  const double height = values[static_cast<std::size_t>(cell)];
  std::vector<double> levels;
  for (const double v : values)
    if (v > 0 && v <= height) levels.push_back(v);
  std::ranges::sort(levels, std::greater{});
  for (const double level : levels)
    for (const std::int64_t other : reached(values, grid, cell, level))
      if (values[static_cast<std::size_t>(other)] > height) return level;
  return 0;
}

}  // namespace

TEST_CASE("peaks and saddles are those of floods at every level", "[peaks]") {
  std::mt19937 random(7);
  std::uniform_int_distribution<std::int64_t> side(1, 5);
  std::uniform_real_distribution<double> value(-0.2, 1);
  for (int round = 0; round < 100; ++round) {
    const Grid grid{{5, -1e6, 0}, {1, 0.5, 3}, {side(random), side(random), side(random)}};
    std::vector<double> values(static_cast<std::size_t>(grid.cells()));
    for (double& v : values) v = std::max(value(random), 0.0);
    if (std::ranges::max(values) <= 0) continue;
    const DensityPeaks found = density_peaks(Volume(grid, values), kAll, silent);
    std::vector<std::pair<double, double>> expected, got;
    for (std::int64_t cell = 0; cell < grid.cells(); ++cell) {
      const double height = values[static_cast<std::size_t>(cell)];
      const double saddle = height > 0 ? saddle_of(values, grid, cell) : height;
      if (saddle < height) expected.emplace_back(height, saddle);
    }
    for (const DensityPeak& peak : found.peaks) got.emplace_back(peak.cell_height, peak.saddle);
    std::ranges::sort(expected, std::greater{});
    std::ranges::sort(got, std::greater{});
    REQUIRE(got == expected);
    double mass = 0, basins = 0;
    for (const double v : values) mass += v * grid.cell_volume();
    for (const DensityPeak& peak : found.peaks) basins += peak.mass;
    REQUIRE(std::abs(mass - basins) < 1e-12 * mass);
  }
}

TEST_CASE("maxima that are not kept join the peak behind their saddle", "[peaks]") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {7, 1, 1}};
  const Volume volume(grid, std::vector<double>{3, 1, 2, 1.5, 5, 0, 4});
  const DensityPeaks all = density_peaks(volume, kAll, silent);
  REQUIRE(all.peaks.size() == 4);
  CHECK(all.basins == std::vector<std::int32_t>{2, 2, 3, 0, 0, -1, 1});
  const DensityPeaks few = density_peaks(
      volume, [](double height, double saddle, std::size_t) { return height - saddle > 1; },
      silent);
  REQUIRE(few.peaks.size() == 3);
  CHECK(few.left_out == 1);
  CHECK(few.basins == std::vector<std::int32_t>{2, 2, 0, 0, 0, -1, 1});
  CHECK(few.peaks[0].mass == 8.5);
  CHECK(few.peaks[0].saddle == 0);
  CHECK(few.peaks[2].saddle == 1);
  const DensityPeaks one = density_peaks(
      volume, [](double, double, std::size_t) { return false; }, silent);
  REQUIRE(one.peaks.size() == 1);
  CHECK(one.basins == std::vector<std::int32_t>{0, 0, 0, 0, 0, -1, -1});
  // The last maximum touches the second one only, which has a higher saddle to the first.
  const DensityPeaks row = density_peaks(
      Volume({{0, 0, 0}, {1, 1, 1}, {5, 1, 1}}, std::vector<double>{10, 3, 8, 1, 5}),
      [](double height, double saddle, std::size_t) { return height - saddle > 4.5; }, silent);
  CHECK(row.basins == std::vector<std::int32_t>{0, 0, 1, 1, 1});
}

TEST_CASE("a peak lies where the parabola through its neighbours has its maximum", "[peaks]") {
  const Grid grid{{-4, -4, -4}, {0.5, 0.5, 0.5}, {16, 16, 16}};
  Volume volume(grid, Precision::f64);
  const auto values = volume.values<double>();
  std::size_t cell = 0;
  for (std::int64_t k = 0; k < 16; ++k)
    for (std::int64_t j = 0; j < 16; ++j)
      for (std::int64_t i = 0; i < 16; ++i) {
        const Vec3 at = grid.centre(i, j, k) - Vec3{0.1, -0.3, 0.7};
        values[cell++] =
            9 - at.x * at.x - 2 * at.y * at.y - at.z * at.z - at.x * at.y + 0.5 * at.y * at.z;
      }
  for (double& value : values) value = std::max(value, 0.0);
  const DensityPeaks found = density_peaks(volume, kAll, silent);
  REQUIRE(found.peaks.size() == 1);
  const Vec3 place = found.peaks[0].place;
  CHECK(std::abs(place.x - 0.1) < 1e-12);
  CHECK(std::abs(place.y + 0.3) < 1e-12);
  CHECK(std::abs(place.z - 0.7) < 1e-12);
  CHECK(std::abs(found.peaks[0].height - 9) < 1e-12);
}

TEST_CASE("plateaus are one peak, and volumes without one are refused", "[peaks]") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {3, 3, 2}};
  const auto peaks = [&](std::vector<double> values) {
    return density_peaks(Volume(grid, std::move(values)), kAll, silent);
  };
  CHECK(peaks(std::vector<double>(18, 1.0)).peaks.size() == 1);
  std::vector<double> hollow(18, 2.0);  // equal maxima about a lower cell
  hollow[4] = 1;
  CHECK(peaks(hollow).peaks.size() == 1);
  const auto refused = [&](double value) {
    return thrown_error([&] { peaks(std::vector<double>(18, value)); }).kind();
  };
  CHECK(refused(0) == ErrorKind::input);
  CHECK(refused(std::nan("")) == ErrorKind::input);
}
