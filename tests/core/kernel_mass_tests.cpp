#include "core/kernel/kernel_mass.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include "core/precision_form.hpp"
#include "support/catch.hpp"

using namespace skde;

namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
const Grid kUnitCells{{0, 0, 0}, {1, 1, 1}, {8, 8, 8}};

double share(const Kernel& kernel, const Box& box) {
  return KernelMass(kernel).in_box(kernel.ellipsoid(kUnitCells), box);
}

/// Integrates the kernel's definition over a box by the midpoint rule.
double sum_in(const Kernel& kernel, const Box& box, int steps) {
  const test::PrecisionForm form(kernel.H, {1, 1, 1});
  const Vec3 size = box.extent();
  double sum = 0;
  for (int i = 0; i < steps; ++i)
    for (int j = 0; j < steps; ++j)
      for (int k = 0; k < steps; ++k) {
        const double x = box.lower.x + size.x * (i + 0.5) / steps;
        const double y = box.lower.y + size.y * (j + 0.5) / steps;
        const double z = box.lower.z + size.z * (k + 0.5) / steps;
        const auto q = static_cast<double>(form.q(x, y, z));
        if (q < kernel.cut() * kernel.cut()) sum += kernel.function->profile(q);
      }
  return sum * kernel.amplitude() * size.x * size.y * size.z / std::pow(steps, 3);
}

}  // namespace

TEST_CASE("boxes that share out a kernel share out its mass", "[kernel_mass]") {
  const Symmetric3 tilted{4, 1, 0.5, 3, -0.25, 2}, needle{4, 3.9, 3.9, 4, 3.9, 4};
  for (const KernelFunction function : kKernelFunctions)
    for (const Symmetric3& H : {tilted, needle}) {
      const Kernel kernel{function, H};
      for (const Vec3 cut : {Vec3{0.3, -0.2, 0.1}, Vec3{0, 0, 0}, Vec3{1, 0.9, -0.8}}) {
        double sum = 0;
        for (int octant = 0; octant < 8; ++octant) {
          Box box{{-kFar, -kFar, -kFar}, {kFar, kFar, kFar}};
          for (int axis = 0; axis < 3; ++axis)
            ((octant >> axis & 1) == 0 ? box.upper : box.lower)[axis] = cut[axis];
          sum += share(kernel, box);
        }
        INFO(function->name << " cut at " << cut.x << ", " << cut.y << ", " << cut.z);
        CHECK(sum == Approx(1).margin(2e-9));
      }
    }
}

TEST_CASE("a box within a kernel holds its integral", "[kernel_mass]") {
  const Symmetric3 tilted{4, 1, 0.5, 3, -0.25, 2};
  for (const KernelFunction function : kKernelFunctions) {
    const Kernel kernel{function, tilted};
    const double lost = kernel.function->tail(kernel.cut());
    INFO(function->name);
    const Box smooth{{-0.4, -0.3, -0.2}, {0.6, 0.5, 0.7}};
    CHECK(share(kernel, smooth) == Approx(sum_in(kernel, smooth, 60)).epsilon(1e-4));
    const Box edged{{-0.5, -4, -3}, {5, 0.25, 0.5}};
    CHECK(share(kernel, edged) * (1 - lost) == Approx(sum_in(kernel, edged, 100)).epsilon(3e-3));
  }
}

TEST_CASE("boxes that are tiny beside a kernel hold none of it", "[kernel_mass]") {
  for (const double size : {1e40, 1e90, 1e160, 1e280})  // areas of faces underflow
    for (const KernelFunction function : kKernelFunctions) {
      const Kernel kernel{function, size * Symmetric3{4, 1, 0.5, 3, -0.25, 2}};
      INFO(function->name << ", " << size);
      const double held = share(kernel, {{-0.5, -0.25, -2}, {1, 0.5, 0.125}});
      CHECK(held >= 0);
      CHECK(held < 1e-6);
    }
}

TEST_CASE("shares of round kernels are known", "[kernel_mass]") {
  // The share of a Gaussian is a product of normal distributions, one per axis.
  const Kernel normal{KernelFunction::gaussian, {1, 0, 0, 1, 0, 1}, 1e-12};
  const auto below = [](double x) { return 0.5 * std::erfc(-x / std::numbers::sqrt2); };
  const Box corner{{-0.5, -0.25, -1}, {kFar, kFar, kFar}};
  CHECK(share(normal, corner) == Approx(below(0.5) * below(0.25) * below(1)).epsilon(1e-9));
  const Box edge{{-0.5, -kFar, -1}, {2, kFar, kFar}};
  CHECK(share(normal, edge) == Approx((below(2) - below(-0.5)) * below(1)).epsilon(1e-9));
  const Box face{{-kFar, -kFar, -1}, {kFar, kFar, kFar}};
  CHECK(share(normal, face) == Approx(below(1)).epsilon(1e-9));
  // The cap of a ball; for Epanechnikov, the marginal is 15/16 (1 - u^2)^2.
  const Kernel ball{KernelFunction::uniform, {1, 0, 0, 1, 0, 1}};
  const Box cap{{0.25, -kFar, -kFar}, {kFar, kFar, kFar}};
  CHECK(share(ball, cap) == Approx((0.75 * 0.75 * 2.25 / 4)).epsilon(1e-9));
  const Kernel round{KernelFunction::epanechnikov, {1, 0, 0, 1, 0, 1}};
  const auto part = [](double u) { return u - 2 * std::pow(u, 3) / 3 + std::pow(u, 5) / 5; };
  CHECK(share(round, cap) == Approx(15.0 / 16 * (part(1) - part(0.25))).epsilon(1e-9));
  CHECK(share(ball, {{2, -1, -1}, {3, 1, 1}}) == 0);
  CHECK(share(ball, {{-2, -2, -2}, {3, 2, 2}}) == 1);
}
