#include "engines/cpu/span/slice_differences.hpp"

#include <string>

#include "core/kernel/kernel_shape.hpp"
#include "engines/registry/registry.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/engine_contract.hpp"

using namespace skde;
using namespace skde::test;

namespace {

/// Mean length, counted in cells, of the rows that a kernel in the middle of the grid covers.
double counted_row_cells(const Ellipsoid<double>& e, const Grid& grid) {
  double cells = 0, rows = 0;
  const auto& dims = grid.dims;
  const std::int64_t middle[] = {dims[0] / 2, dims[1] / 2, dims[2] / 2};
  for (std::int64_t z = 0; z < dims[2]; ++z)
    for (std::int64_t y = 0; y < dims[1]; ++y) {
      std::int64_t covered = 0;
      for (std::int64_t x = 0; x < dims[0]; ++x)
        covered += e.q(static_cast<double>(x - middle[0]), static_cast<double>(y - middle[1]),
                       static_cast<double>(z - middle[2])) < 1;
      cells += static_cast<double>(covered);
      rows += covered > 0;
    }
  return cells / rows;
}

/// A case of one sample whose kernel has this half width along x.
DensityCase case_of(double half_width) {
  DensityCase result{"",
                     {},
                     Symmetric3::diagonal(half_width * half_width, 9, 9),
                     Grid{{0, 0, 0}, {1, 1, 1}, {200, 5, 3}}};
  result.cloud.xyz = {100, 2, 1};
  return result;
}

std::string policy_of(const DensityCase& density_case, KernelFunction function,
                      Precision precision) {
  NoProgress silent;
  const auto engine = make_engine("span", {});
  const auto run = engine->begin(problem_of(density_case, function, precision));
  run->add(*engine->load(density_case.cloud.view()), silent);
  return run->launch_policy();
}

bool by_differences(double half_width, KernelFunction function, Precision precision) {
  return policy_of(case_of(half_width), function, precision).find("difference rows") !=
         std::string::npos;
}

}  // namespace

TEST_CASE("the mean row is as long as rows are on the average", "[row_method]") {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {90, 80, 70}};
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const auto ellipsoid = make_ellipsoid(random_rotated(seed, {28, 15, 21}), grid);
    CHECK(mean_row_cells(ellipsoid, grid) ==
          Approx(counted_row_cells(ellipsoid, grid)).epsilon(0.02));
  }
  const auto wide = make_ellipsoid(Symmetric3::diagonal(1e6, 100, 100), grid);
  CHECK(mean_row_cells(wide, grid) == 90);
}

TEST_CASE("long rows are added by their differences where those serve", "[row_method]") {
  const double shorter = 0.7 * kBreakEvenRowCells, longer = 0.8 * kBreakEvenRowCells;
  CHECK_FALSE(by_differences(shorter, KernelFunction::epanechnikov, Precision::f32));
  CHECK(by_differences(longer, KernelFunction::epanechnikov, Precision::f32));
  CHECK(by_differences(longer, KernelFunction::uniform, Precision::f32));
  CHECK_FALSE(by_differences(longer, KernelFunction::biweight, Precision::f32));
  CHECK_FALSE(by_differences(longer, KernelFunction::triweight, Precision::f32));
  CHECK_FALSE(by_differences(longer, KernelFunction::epanechnikov, Precision::f64));
  DensityCase narrow = case_of(longer);
  narrow.grid.dims[0] = 30;  // the rows are clipped
  CHECK(policy_of(narrow, KernelFunction::epanechnikov, Precision::f32).find("difference") ==
        std::string::npos);
}
