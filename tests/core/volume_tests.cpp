#include "core/space/volume.hpp"

#include <omp.h>

#include <cmath>
#include <numeric>
#include <stdexcept>
#include <variant>

#include "support/catch.hpp"
#include "support/thrown_error.hpp"

using namespace skde;

namespace {

const Grid kGrid{{1, 2, 3}, {0.5, 2, 0.25}, {3, 4, 5}};

template <class Real>
std::vector<Real> counted(std::size_t size) {
  std::vector<Real> values(size);
  std::iota(values.begin(), values.end(), Real(1));
  return values;
}

}  // namespace

TEST_CASE("a new volume is 0 everywhere, in its precision", "[volume]") {
  const Volume f32(kGrid, Precision::f32), f64(kGrid, Precision::f64);
  CHECK(f32.precision() == Precision::f32);
  CHECK(f64.precision() == Precision::f64);
  CHECK(f32.values<float>().size() == 60);
  CHECK(f64.values<double>().size() == 60);
  for (float value : f32.values<float>()) CHECK(value == 0);
  CHECK(f32.maximum() == 0);
  CHECK(f64.sum() == 0);
  CHECK(f64.grid() == kGrid);
  CHECK_THROWS_AS(f32.values<double>(), std::bad_variant_access);
  CHECK_THROWS_AS(f64.values<float>(), std::bad_variant_access);
}

TEST_CASE("a volume without a grid holds nothing", "[volume]") {
  const Volume volume;
  CHECK(volume.sum() == 0);
  CHECK(volume.maximum() == 0);
  CHECK(volume.mass() == 0);
}

TEMPLATE_TEST_CASE("values lie x fastest, then y, then z", "[volume]", float, double) {
  Volume volume(kGrid, counted<TestType>(60));
  double expected = 1;
  for (int k = 0; k < 5; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 3; ++i) CHECK(volume.at(i, j, k) == expected++);
  volume.template values<TestType>()[1 + 3 * (2 + 4 * 3)] = -7;
  CHECK(volume.at(1, 2, 3) == -7);
}

TEST_CASE("a point reads the cell that holds it", "[volume]") {
  const Volume volume(kGrid, counted<double>(60));
  for (int k = 0; k < 5; ++k)
    for (int j = 0; j < 4; ++j)
      for (int i = 0; i < 3; ++i) {
        CHECK(volume.at(kGrid.centre(i, j, k)) == volume.at(i, j, k));
        CHECK(volume.at(kGrid.centre(i, j, k) - 0.49 * kGrid.spacing) == volume.at(i, j, k));
      }
  const Box box = kGrid.bounds();
  CHECK(volume.at(box.lower) == 1);
  CHECK(volume.at(box.upper) == 60);
  CHECK(volume.at({1.5, 4, 3.25}) == volume.at(1, 1, 1));  // points on faces belong to the cells
                                                           // above
}

TEST_CASE("a point outside of the grid has no value", "[volume]") {
  const Volume volume(kGrid, Precision::f32);
  const Box box = kGrid.bounds();
  for (int axis = 0; axis < 3; ++axis) {
    Vec3 below = box.centre(), above = below, nowhere = below;
    below[axis] = box.lower[axis] - 1e-9;
    above[axis] = box.upper[axis] + 1e-9;
    nowhere[axis] = std::nan("");
    for (const Vec3 place : {below, above, nowhere})
      CHECK(test::says(test::thrown_error([&] { volume.at(place); }), "must lie within the grid"));
  }
}

TEMPLATE_TEST_CASE("the span of all values is where they lie", "[volume]", float, double) {
  const Volume volume(kGrid, counted<TestType>(60));
  const auto span = std::get<std::span<const TestType>>(volume.value_span());
  CHECK(span.size() == 60);
  CHECK(span.data() == volume.values<TestType>().data());
}

TEMPLATE_TEST_CASE("the mass is the sum times the cell volume", "[volume]", float, double) {
  Volume volume(kGrid, counted<TestType>(60));
  CHECK(volume.sum() == 1830);
  CHECK(volume.mass() == 1830 * 0.25);
  CHECK(volume.maximum() == 60);
  volume.scale(0.5);
  CHECK(volume.sum() == 915);
  CHECK(volume.maximum() == 30);
  CHECK(volume.at(0, 0, 0) == 0.5);
  CHECK(volume.at(2, 3, 4) == 30);
}

TEST_CASE("the maximum is among the values, also below 0", "[volume]") {
  const Grid grid{{}, {1, 1, 1}, {3, 1, 1}};
  CHECK(Volume(grid, std::vector<double>{-3, -1, -2}).maximum() == -1);
  CHECK(Volume(grid, std::vector<float>{5, 1, 2}).maximum() == 5);
}

TEST_CASE("values of another number than the cells are refused", "[volume]") {
  CHECK_THROWS_AS(Volume(kGrid, counted<float>(59)), std::invalid_argument);
  CHECK_THROWS_AS(Volume(kGrid, counted<double>(61)), std::invalid_argument);
  CHECK_THROWS_AS(Volume(kGrid, std::vector<double>{}), std::invalid_argument);
  CHECK_NOTHROW(Volume(kGrid, counted<float>(60)));
}

TEST_CASE("a sum of floats keeps what floats would lose", "[volume]") {
  const Grid grid{{}, {1, 1, 1}, {100, 100, 40}};
  std::vector<float> values(400000, 0.1f);
  values[0] = 1e8f;
  const double expected = 1e8 + 399999 * static_cast<double>(0.1f);
  CHECK(Volume(grid, values).sum() == Approx(expected).epsilon(1e-11));
}

TEST_CASE("a sum is the same bits on any threads", "[volume]") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {50, 40, 301}};
  std::vector<double> values(static_cast<std::size_t>(grid.cells()));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = 1 / (1.5 + static_cast<double>(i * 7919 % 104729));
  const Volume volume(grid, values);
  const int before = omp_get_max_threads();
  const double expected = volume.sum();
  for (const int threads : {1, 2, 3, 5, 7}) {
    omp_set_num_threads(threads);
    CHECK(volume.sum() == expected);
    CHECK(volume.sum_of(11, 200) + volume.sum_of(0, 11) + volume.sum_of(211, 90) ==
          Approx(expected).epsilon(1e-13));
  }
  omp_set_num_threads(before);
}
