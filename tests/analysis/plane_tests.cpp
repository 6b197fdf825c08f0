#include <algorithm>
#include <cmath>
#include <random>

#include "analysis/line_projection.hpp"
#include "analysis/plane_slice.hpp"
#include "support/catch.hpp"
#include "support/thrown_error.hpp"

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
