#include "core/kernel/anti_aliasing_floor.hpp"

#include <algorithm>
#include <cmath>

#include "core/kernel/sample_shapes.hpp"
#include "core/space/grid.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::test;

namespace {

double largest_difference(const Symmetric3& a, const Symmetric3& b) {
  const Symmetric3 d = a + (-1.0) * b;
  return std::max({std::abs(d.xx), std::abs(d.xy), std::abs(d.xz), std::abs(d.yy), std::abs(d.yz),
                   std::abs(d.zz)});
}

/// Raises the eigenvalues of `m` to at least `floor`, by the definition.
Symmetric3 raised(const Symmetric3& m, double floor) {
  const Eigen3 e = eigen_decomposition(m);
  Symmetric3 sum;
  for (std::size_t i = 0; i < 3; ++i) {
    const Vec3 v = e.vectors[i];
    sum = sum + std::max(e.values[i], floor) *
                    Symmetric3{v.x * v.x, v.x * v.y, v.x * v.z, v.y * v.y, v.y * v.z, v.z * v.z};
  }
  return sum;
}

/// Returns the largest deviation from 1 of a sample's sum over all cells, for such kernels at many
/// places between cell centres.
double worst_sum(KernelFunction function, double min_width, Vec3 half_axes) {
  const Grid grid{{0, 0, 0}, {1, 1, 1}, {31, 31, 31}};
  Kernel kernel{function, Symmetric3::diagonal(1, 1, 1)};
  kernel.tolerance = 1e-9;
  const SampleShapes shapes(kernel, grid, min_width);
  Random random(9);
  double worst = 0;
  for (int turn = 0; turn < 8; ++turn) {
    const Symmetric3 m = random_rotation(random, half_axes);
    Samples one;
    for (int axis = 0; axis < 3; ++axis) one.xyz.push_back(random.uniform(15, 16));
    one.shapes = {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz};
    const SampleShape shape = shapes.of(one.view(), 0);
    CHECK(shape.at_floor);
    double sum = 0;
    with_profile(kernel, [&](const auto& profile) {
      for (int z = 0; z < 31; ++z)
        for (int y = 0; y < 31; ++y)
          for (int x = 0; x < 31; ++x)
            sum += profile.value(shape.ellipsoid.q(x + 0.5 - one.xyz[0], y + 0.5 - one.xyz[1],
                                                   z + 0.5 - one.xyz[2]));
    });
    worst = std::max(worst, std::abs(shape.amplitude * sum - 1));
  }
  return worst;
}

}  // namespace

TEST_CASE("axes below the floor are raised to it, the others stay") {
  Random random(3);
  for (int turn = 0; turn < 500; ++turn) {
    const auto axis = [&] { return random.chance(0.2) ? 1.0 : random.log_uniform(0.01, 200); };
    const double equal = axis();
    const Vec3 axes = turn % 3 == 0   ? Vec3{equal, equal, axis()}
                      : turn % 3 == 1 ? Vec3{axis(), axis(), axis()}
                                      : Vec3{equal, equal, equal};
    const Symmetric3 m = random_rotation(random, axes);
    const double floor = random.chance(0.5) ? 1 : random.log_uniform(1e-3, 100);
    const double least = std::min({axes.x, axes.y, axes.z});
    const double scale = std::max({m.xx, m.yy, m.zz, floor});
    CAPTURE(turn, axes.x, axes.y, axes.z, floor);
    CHECK(largest_difference(raise_to_floor(m, floor), raised(m, floor)) < 3e-8 * scale);
    if (std::abs(least * least - floor) > 1e-9 * scale)
      CHECK(is_above(m, floor) == (least * least > floor));
  }
}

TEST_CASE("widened kernels keep their mass on a grid") {
  constexpr double kRounding = 1e-9;
  for (const Vec3 thin : {Vec3{0.05, 0.05, 0.05}, Vec3{2, 0.1, 0.4}, Vec3{1, 1, 0.001}}) {
    CAPTURE(thin.x, thin.y, thin.z);
    CHECK(worst_sum(KernelFunction::gaussian, 1, thin) < 1.6e-8 + kRounding);
    CHECK(worst_sum(KernelFunction::gaussian, 0.5, thin) > 1e-3);
    CHECK(worst_sum(KernelFunction::triweight, 1, thin) < 0.005);
    CHECK(worst_sum(KernelFunction::biweight, 1, thin) < 0.01);
    CHECK(worst_sum(KernelFunction::epanechnikov, 1, thin) < 0.03);
  }
}
