#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/cloud/moments.hpp"
#include "core/cloud/synthetic_cloud.hpp"
#include "engines/registry/registry.hpp"
#include "gpu/device_fixture.hpp"
#include "support/catch.hpp"
#include "support/references/reference.hpp"

using namespace skde;
using namespace skde::test;

namespace {

constexpr int kSampledCells = 40;

/// The cell alone, as a grid.
Grid single_cell(const Grid& grid, const std::array<std::int64_t, 3>& cell) {
  Grid one = grid;
  one.dims = {1, 1, 1};
  for (int axis = 0; axis < 3; ++axis)
    one.lower[axis] +=
        static_cast<double>(cell[static_cast<std::size_t>(axis)]) * grid.spacing[axis];
  return one;
}

/// The cell of the highest density, and cells near samples, most of which are covered by kernels.
using Cells = std::vector<std::array<std::int64_t, 3>>;

Cells sampled_cells(const Volume& volume, const Samples& cloud) {
  const Grid& grid = volume.grid();
  const std::span<const float> values = volume.values<float>();
  const auto peak = std::max_element(values.begin(), values.end()) - values.begin();
  const auto [nx, ny, nz] = grid.dims;
  Cells cells{{peak % nx, peak / nx % ny, peak / (nx * ny)}};
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

/// Samples spread evenly over the box: few kernels cover a cell compared with those of its tile.
Samples make_even_cloud() {
  Samples cloud = make_uniform_cloud(3, 0, 1000000);
  const Box box = benchmark_box();
  for (double& coordinate : cloud.xyz) coordinate = box.lower.x + coordinate * box.extent().x;
  return cloud;
}

Volume density_by(std::string_view name, const Samples& cloud, const Problem& problem) {
  const auto engine = make_engine(name, {});
  const auto samples = engine->load(cloud.view());
  const auto run = engine->begin(problem);
  NoProgress silent;
  run->add(*samples, silent);
  run->finish(silent);
  return run->take_values()->take_volume();
}

/// Returns the exact density in each of the cells.
std::vector<double> exact_density(const Cells& cells, const Samples& cloud,
                                  const Problem& problem) {
  std::vector<double> values;
  for (const auto& cell : cells) {
    const Reference exact = make_reference(cloud.view(), problem.kernel.H,
                                           single_cell(problem.grid(), cell), problem.total_weight);
    values.push_back(exact.of(problem.kernel.function)[0]);
  }
  return values;
}

/// Returns the largest error over the cells, as a share of the peak.
double sampled_error(const Volume& volume, const Cells& cells, const std::vector<double>& exact) {
  double worst = 0;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const auto [x, y, z] = cells[i];
    worst = std::max(worst, std::abs(volume.at(x, y, z) - exact[i]));
  }
  return worst / volume.maximum();
}

/// Returns the largest difference from a volume in double over all cells, as a share of the peak.
double largest_error(const Volume& volume, const Volume& exact) {
  const std::span<const float> values = volume.values<float>();
  const std::span<const double> wanted = exact.values<double>();
  double worst = 0;
#pragma omp parallel for reduction(max : worst)
  for (std::size_t i = 0; i < values.size(); ++i)
    worst = std::max(worst, std::abs(double{values[i]} - wanted[i]));
  return worst / volume.maximum();
}

void check_accuracy(const Samples& cloud, std::int64_t cells) {
  const Moments moments = compute_moments(cloud.view());
  GridSpec spec;
  spec.bounds = benchmark_box();
  spec.dims = {cells, 0, 0};
  const Grid grid = make_grid(spec, *spec.bounds, {});
  const double stated = make_engine("cuda-span", {})->traits().error_f32;
  for (const double h : {0.12, 0.346}) {
    Problem problem{{KernelFunction::epanechnikov, (h * h) * moments.covariance()},
                    grid,
                    moments.total_weight()};
    const Volume volume = density_by("cuda-span", cloud, problem);
    problem.precision = Precision::f64;
    const Volume exact = density_by("cuda-chop-crop", cloud, problem);
    const Cells sampled = sampled_cells(volume, cloud);
    const std::vector<double> wanted = exact_density(sampled, cloud, problem);
    CAPTURE(cells, h);
    CHECK(sampled_error(exact, sampled, wanted) <= 1e-12);
    CHECK(sampled_error(volume, sampled, wanted) <= stated);
    CHECK(largest_error(volume, exact) <= stated);
    const std::span<const float> values = volume.values<float>();
    CHECK(*std::min_element(values.begin(), values.end()) >= 0);
  }
}

}  // namespace

TEST_CASE("cuda-span keeps its accuracy with a million samples on 512 cells a side") {
  if (skipped()) return;
  check_accuracy(make_five_gaussians(3, 0, 1000000), 512);
}

TEST_CASE("cuda-span keeps its accuracy with a million samples all over 256 cells a side") {
  if (skipped()) return;
  check_accuracy(make_even_cloud(), 256);
}

TEST_CASE("cuda-span keeps its accuracy with a million samples all over 512 cells a side") {
  if (skipped()) return;
  check_accuracy(make_even_cloud(), 512);
}
