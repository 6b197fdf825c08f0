#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "core/moments.hpp"
#include "core/synthetic_cloud.hpp"
#include "engines/registry.hpp"
#include "gpu/device_fixture.hpp"
#include "support/reference.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr int kSampledCells = 120;

/// The cell alone, as a grid.
Grid single_cell(const Grid& grid, const std::array<std::int64_t, 3>& cell) {
  Grid one = grid;
  one.dims = {1, 1, 1};
  for (int axis = 0; axis < 3; ++axis)
    one.lower[axis] +=
        static_cast<double>(cell[static_cast<std::size_t>(axis)]) * grid.spacing[axis];
  return one;
}

/// The cell of the highest density, and cells around samples, so that most of them are covered.
std::vector<std::array<std::int64_t, 3>> sampled_cells(const Volume& volume,
                                                       const PointCloud& cloud) {
  const Grid& grid = volume.grid();
  const std::span<const float> values = volume.values<float>();
  const auto peak = std::max_element(values.begin(), values.end()) - values.begin();
  const auto [nx, ny, nz] = grid.dims;
  std::vector<std::array<std::int64_t, 3>> cells{{peak % nx, peak / nx % ny, peak / (nx * ny)}};
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::size_t> sample(0, cloud.size() - 1);
  std::uniform_int_distribution<int> step(-6, 6);
  while (cells.size() < kSampledCells) {
    const Vec3 at = grid.to_cells(cloud.view().point(sample(random)));
    std::array<std::int64_t, 3> cell{};
    for (int axis = 0; axis < 3; ++axis)
      cell[static_cast<std::size_t>(axis)] = std::clamp<std::int64_t>(
          std::llround(at[axis]) + step(random), 0, grid.dims[static_cast<std::size_t>(axis)] - 1);
    cells.push_back(cell);
  }
  return cells;
}

}  // namespace

TEST_CASE("cuda-span keeps its accuracy with a million samples on 512 cells a side") {
  if (skipped()) return;
  const PointCloud cloud = make_five_gaussians(3, 0, 1000000);
  const Moments moments = compute_moments(cloud.view());
  GridSpec spec;
  spec.bounds = benchmark_box();
  spec.dims = {512, 0, 0};
  const Grid grid = make_grid(spec, *spec.bounds, {});
  const auto engine = make_engine("cuda-span", {});
  engine->load(cloud.view());
  for (const double h : {0.12, 0.346}) {
    const DensityProblem problem{{KernelFunction::epanechnikov, (h * h) * moments.covariance()},
                                 grid,
                                 moments.total_weight()};
    engine->prepare(problem);
    const auto buffer = engine->make_buffer();
    NoProgress silent;
    engine->run(*buffer, silent);
    const Volume volume = buffer->take_volume();
    const double peak = volume.maximum();
    double worst = 0;
    for (const auto& cell : sampled_cells(volume, cloud)) {
      const Reference exact = make_reference(cloud.view(), problem.kernel.H,
                                             single_cell(grid, cell), problem.total_weight);
      const double value = volume.at(cell[0], cell[1], cell[2]);
      worst = std::max(worst, std::abs(value - exact.of(KernelFunction::epanechnikov)[0]) / peak);
    }
    CAPTURE(h, worst);
    CHECK(worst <= engine->traits().error_f32);
    const std::span<const float> values = volume.values<float>();
    CHECK(*std::min_element(values.begin(), values.end()) >= 0);
  }
}
