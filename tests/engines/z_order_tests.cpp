#include "engines/cpu/z_order.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/kernel/kernel_shape.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/density_cases.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// A cloud in and around a grid of 12 x 10 x nz cells. The weight of a sample is its number, by
/// which it is recognised; every seventh has weight 0.
DensityCase numbered_case(std::int64_t nz, double half_z, std::size_t count) {
  DensityCase result{"", {}, Symmetric3::diagonal(9, 4, half_z * half_z), Grid{}};
  result.grid = Grid{{-3, 2, 5}, {1, 1, 1}, {12, 10, nz}};
  Random random(7);
  Box around = result.grid.bounds();
  around.lower.z -= 3 * half_z;
  around.upper.z += 3 * half_z;
  add_uniform(result.cloud, random, around, count);
  for (std::size_t i = 0; i < count; ++i)
    result.cloud.weights.push_back(i % 7 == 6 ? 0 : static_cast<double>(i + 1));
  return result;
}

CellProblem in_cells(const DensityCase& density_case, int threads) {
  Problem problem;
  problem.kernel.H = density_case.H;
  problem.target = density_case.grid;
  return {problem, threads};
}

ZOrder<double> order_of(const DensityCase& density_case, int threads) {
  ZOrder<double> order;
  order.build(in_cells(density_case, threads), density_case.cloud.view(), silent);
  return order;
}

/// Returns the numbers of the samples near a slice, in the order stored.
std::vector<std::size_t> numbers_near(const ZOrder<double>& order, const DensityCase& density_case,
                                      std::int32_t z) {
  const double amplitude = in_cells(density_case, 1).amplitude;
  std::vector<std::size_t> numbers;
  for (const SliceSample<double>& sample : order.samples_near(z))
    numbers.push_back(static_cast<std::size_t>(std::lround(sample.weight / amplitude)) - 1);
  return numbers;
}

void check_slice(const DensityCase& density_case, const std::vector<std::size_t>& near, int z) {
  const double half = std::sqrt(density_case.H.zz);
  const double centre = density_case.grid.centre(0, 0, z).z;
  std::vector<bool> found(density_case.cloud.size());
  for (const std::size_t i : near) {
    REQUIRE(i < found.size());
    CHECK_FALSE(found[i]);  // at most once
    found[i] = true;
    CHECK(std::abs(density_case.cloud.view().point(i).z - centre) < half + 4);
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    const bool reaches = std::abs(density_case.cloud.view().point(i).z - centre) < half;
    if (reaches && density_case.cloud.weights[i] > 0) CHECK(found[i]);
    if (!(density_case.cloud.weights[i] > 0)) CHECK_FALSE(found[i]);
  }
}

}  // namespace

TEST_CASE("samples near a slice are all whose kernels reach it", "[z_order]") {
  for (const auto& [nz, half] : {std::pair{17, 2.6}, {17, 0.3}, {1, 4.0}, {5, 30.0}, {40, 1.0}}) {
    INFO(nz << " slices, kernels of " << half);
    const DensityCase density_case = numbered_case(nz, half, 300);
    const ZOrder<double> order = order_of(density_case, 2);
    for (int z = 0; z < nz; ++z) check_slice(density_case, numbers_near(order, density_case, z), z);
  }
}

TEST_CASE("samples far outside keep cells of 32 bits", "[z_order]") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {10, 10, 10}};
  const Ellipsoid<double> ellipsoid = make_ellipsoid(Symmetric3::diagonal(4, 4, 4), grid);
  for (const double far : {3e9, 1e12, 1e15}) {
    const auto right = place_sample<double>(grid, ellipsoid, {far, far, far});
    const auto left = place_sample<double>(grid, ellipsoid, {-far, -far, -far});
    for (int axis = 0; axis < 3; ++axis) {
      CHECK(right.cell[axis] > 2000000000);
      CHECK(left.cell[axis] < -2000000000);
    }
    CHECK_FALSE((right.reaches || left.reaches));
  }
}

TEST_CASE("samples are in the same order for any number of threads", "[z_order]") {
  const DensityCase density_case = numbered_case(9, 2, 500);
  const ZOrder<double> expected = order_of(density_case, 1);
  for (const int threads : {2, 3, 16}) {
    const ZOrder<double> order = order_of(density_case, threads);
    for (int z = 0; z < 9; ++z)
      CHECK(numbers_near(order, density_case, z) == numbers_near(expected, density_case, z));
  }
}

TEST_CASE("a cell's samples stay in the order of loading, and cells ascend", "[z_order]") {
  const DensityCase density_case = numbered_case(9, 2, 500);
  const ZOrder<double> order = order_of(density_case, 3);
  const auto samples = order.samples_near(4);
  const std::vector<std::size_t> numbers = numbers_near(order, density_case, 4);
  REQUIRE(samples.size() > 20);
  for (std::size_t k = 1; k < samples.size(); ++k) {
    CHECK(samples[k - 1].cell[2] <= samples[k].cell[2]);
    if (samples[k - 1].cell[2] == samples[k].cell[2]) CHECK(numbers[k - 1] < numbers[k]);
  }
}

TEST_CASE("an order can be built again and of no samples", "[z_order]") {
  const DensityCase many = numbered_case(9, 2, 500), few = numbered_case(4, 1, 0);
  ZOrder<double> order;
  order.build(in_cells(many, 2), many.cloud.view(), silent);
  order.build(in_cells(few, 2), few.cloud.view(), silent);
  for (int z = 0; z < 4; ++z) CHECK(order.samples_near(z).empty());
}
