#include <algorithm>
#include <cmath>

#include "support/cases/case_parts.hpp"
#include "support/cases/density_cases.hpp"

namespace skde::test {
namespace {

constexpr double kMostCells = 15000;
constexpr double kLeastAxis = 0.3, kMostAxis = 40, kMostSlender = 30;  // of a kernel, in cells

Grid draw_grid(Random& random) {
  Grid grid;
  for (int axis = 0; axis < 3; ++axis) {
    grid.spacing[axis] = random.log_uniform(0.2, 5);
    grid.lower[axis] = random.uniform(-50, 50);
    const int side = random.chance(0.1) ? 1 : static_cast<int>(random.log_uniform(6, 110));
    grid.dims[static_cast<std::size_t>(axis)] = side;
  }
  auto longest = std::max_element(grid.dims.begin(), grid.dims.end());
  const double excess = static_cast<double>(grid.cells()) / kMostCells;
  if (excess > 1)
    *longest = std::max<std::int64_t>(
        1, static_cast<std::int64_t>(static_cast<double>(*longest) / excess));
  return grid;
}

/// Draws H in squared world units.
Symmetric3 draw_kernel(Random& random, Vec3 spacing) {
  const double longest = random.log_uniform(0.6, kMostAxis);
  const double least = std::max(kLeastAxis, longest / kMostSlender);
  const Symmetric3 h =
      random_rotation(random, {longest, random.log_uniform(std::min(least, longest), longest),
                               random.log_uniform(std::min(least, longest), longest)});
  const Vec3 s = spacing;
  return {h.xx * s.x * s.x, h.xy * s.x * s.y, h.xz * s.x * s.z,
          h.yy * s.y * s.y, h.yz * s.y * s.z, h.zz * s.z * s.z};
}

void draw_cloud(Random& random, DensityCase& to) {
  const Box box = to.grid.bounds();
  const auto count = static_cast<std::size_t>(random.log_uniform(2, 450));
  switch (random.below(3)) {
    case 0:
      add_uniform(to.cloud, random, box, count);
      break;
    case 1:
      add_normal(to.cloud, random, box.centre(), random.uniform(0.2, 20), count);
      break;
    default:
      add_uniform(to.cloud, random, box, count);
      add_shell(to.cloud, random, box, random.log_uniform(0.5, 50), count);
  }
  if (random.chance(0.2)) repeat(to.cloud, 3);
  if (!random.chance(0.4)) return;
  for (std::size_t i = 0; i < to.cloud.size(); ++i)
    to.cloud.weights.push_back(random.chance(0.1) ? 0.0 : random.log_uniform(0.01, 100));
  to.cloud.weights[0] = 1;  // so that not all weights are 0
}

}  // namespace

DensityCase random_case(std::uint64_t seed) {
  Random random(seed + 1000);
  DensityCase result;
  result.name = "random case " + std::to_string(seed);
  result.grid = draw_grid(random);
  result.H = draw_kernel(random, result.grid.spacing);
  draw_cloud(random, result);
  if (random.chance(0.2)) shift(result, {1e6, 2e5, -4e6});
  return result;
}

}  // namespace skde::test
