#include "core/kernel/mass_in_box.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "core/cloud/synthetic_cloud.hpp"
#include "core/ellipsoid_cases.hpp"
#include "core/kernel/anti_aliasing_floor.hpp"
#include "core/kernel/kernel_mass.hpp"
#include "core/kernel/sample_shapes.hpp"
#include "core/precision_form.hpp"
#include "core/space/grid.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::test;
using test::kTilted;

namespace {

/// Points at random within a kernel about the origin, as dense as it is: cubes are drawn and
/// dropped. Of the exponential kernel 5e-4 are left away.
std::vector<Vec3> drawn_from(const Kernel& kernel, std::size_t count) {
  const test::PrecisionForm form(kernel.H, {1, 1, 1});
  const Vec3 half = std::min(1.0, 12 / kernel.cut()) * kernel.half_extents();
  std::mt19937 random(3);
  std::uniform_real_distribution<double> at(-1, 1), height(0, 1);
  std::vector<Vec3> points;
  while (points.size() < count) {
    const Vec3 p{half.x * at(random), half.y * at(random), half.z * at(random)};
    const auto q = static_cast<double>(form.q(p.x, p.y, p.z));
    if (height(random) < kernel.function->profile(q)) points.push_back(p);
  }
  return points;
}

double share_within(const Box& box, const std::vector<Vec3>& points) {
  std::size_t inside = 0;
  for (const Vec3& p : points) {
    bool within = true;
    for (int axis = 0; axis < 3; ++axis)
      within = within && p[axis] >= box.lower[axis] && p[axis] < box.upper[axis];
    inside += within ? 1 : 0;
  }
  return static_cast<double>(inside) / static_cast<double>(points.size());
}

/// Boxes about the origin whose faces cut the kernel at various places.
std::vector<Box> boxes() {
  return {{{-9, -9, -9}, {9, 9, 9}},      {{0, -9, -9}, {9, 9, 9}},
          {{-9, -9, 0.5}, {9, 9, 9}},     {{-0.5, -9, -9}, {0.9, 9, 9}},
          {{0, 0, -9}, {9, 9, 9}},        {{-9, -0.8, -0.3}, {9, 9, 0.9}},
          {{0.2, -0.4, -0.6}, {9, 9, 9}}, {{-0.3, -0.3, -0.3}, {0.4, 0.5, 0.6}},
          {{1.9, -9, -9}, {9, 9, 9}},     {{2.1, -9, -9}, {9, 9, 9}},
          {{1.5, 1, -9}, {9, 9, 9}}};
}

}  // namespace

TEST_CASE("the mass of a kernel in a box is the share of what is drawn from it", "[mass_in_box]") {
  constexpr std::size_t kDrawn = test::tried(100000);
  const double five_deviations = 2.5 / std::sqrt(kDrawn);
  for (const KernelFunction function : kKernelFunctions) {
    const Kernel kernel{function, kTilted};
    const std::vector<Vec3> points = drawn_from(kernel, kDrawn);
    for (const Box& box : boxes()) {
      INFO(function->name << ", box from " << box.lower.x << ", " << box.lower.y << ", "
                          << box.lower.z);
      const double mass = mass_in_box(kernel, box, Samples{{0, 0, 0}}.view()).weight;
      CHECK(mass == Approx(share_within(box, points)).margin(five_deviations));
      CHECK(mass <= 1);
    }
  }
}

TEST_CASE("half of a kernel lies beyond a face through its middle", "[mass_in_box]") {
  for (const KernelFunction function : kKernelFunctions) {
    const Kernel kernel{function, kTilted};
    INFO(function->name);
    const auto mass = [&](const Box& box) {
      return mass_in_box(kernel, box, Samples{{1, 2, 3}}.view()).weight;
    };
    CHECK(mass({{1, -99, -99}, {99, 99, 99}}) == Approx(0.5).epsilon(1e-9));
    CHECK(mass({{-99, 2, -99}, {99, 99, 99}}) == Approx(0.5).epsilon(1e-9));
    CHECK(mass({{-99, -99, -99}, {99, 99, 3}}) == Approx(0.5).epsilon(1e-9));
    // Four quarters about an edge add up to the whole, and so do eight parts about a corner.
    double quarters = 0, eighths = 0;
    for (const auto& [x0, x1] : {std::pair{-99.0, 1.3}, {1.3, 99.0}})
      for (const auto& [y0, y1] : {std::pair{-99.0, 1.6}, {1.6, 99.0}}) {
        quarters += mass({{x0, y0, -99}, {x1, y1, 99}});
        for (const auto& [z0, z1] : {std::pair{-99.0, 3.2}, {3.2, 99.0}})
          eighths += mass({{x0, y0, z0}, {x1, y1, z1}});
      }
    CHECK(quarters == Approx(1).epsilon(2e-3));
    CHECK(eighths == Approx(1).epsilon(2e-3));
  }
}

TEST_CASE("masses of samples add by weight and width, and those outside are counted",
          "[mass_in_box]") {
  const Kernel kernel{KernelFunction::epanechnikov, Symmetric3::diagonal(1, 1, 1)};
  const Box box{{0, 0, 0}, {10, 10, 10}};
  // Inside; half inside; wider and half inside; outside but reaching in; far away; without weight.
  const Samples samples{{5, 5, 5, 0, 5, 5, 10, 5, 5, -0.5, 5, 5, 50, 5, 5, 20, 5, 5},
                        {1, 2, 4, 8, 16, 0},
                        {1, 1, 3, 1, 1, 1}};
  const MassInBox all = mass_in_box(kernel, box, samples.view());
  const double part = mass_in_box(kernel, box, Samples{{-0.5, 5, 5}}.view()).weight;
  CHECK(part ==
        Approx(0.103515625).epsilon(1e-5));  // 1/2 - 15/16 (u - 2/3 u^3 + u^5 / 5) at u = 1/2
  CHECK(all.weight == Approx(1 + 1 + 2 + 8 * part).epsilon(1e-9));
  CHECK(all.outside == 2);
}

TEST_CASE("many kernels at edges are known by some of them, the same on any threads",
          "[mass_in_box]") {
  const Kernel kernel{KernelFunction::epanechnikov, Symmetric3::diagonal(1, 1, 1)};
  std::mt19937 random(5);
  std::uniform_real_distribution<double> at(-1, 1);
  Samples samples;
  for (int i = 0; i < 40000; ++i)
    for (const double middle : {0.0, 0.0, 5.0}) samples.xyz.push_back(middle + at(random));
  const Box corner{{0, 0, 0}, {10, 10, 10}};
  const double mass = mass_in_box(kernel, corner, samples.view(), {}, 1).weight;
  CHECK(mass == mass_in_box(kernel, corner, samples.view(), {}, 5).weight);
  CHECK(mass / 40000 == Approx(0.25).margin(0.02));
}

TEST_CASE("blocks that lie deep in the box need no look at their samples", "[mass_in_box]") {
  const Samples cloud = make_five_gaussians(1, 0, 3000);
  Kernel kernel;
  kernel.H = {0.01, 0.002, 0, 0.02, 0, 0.03};
  for (const Boundary boundary :
       {Boundary::none, Boundary::reflect, Boundary::periodic, Boundary::renormalize})
    for (const double side : {0.5, 2.0, 8.0}) {
      const Box box{{-side, -side, -side}, {side, side, side}};
      const Boundaries boundaries{boundary, Boundary::none, boundary};
      const BoxMass mass(kernel, box, boundaries);
      for (std::size_t i = 0; i < cloud.size(); i += 10) {
        const SamplesView ten = cloud.view().slice(i, 10);
        // Bandwidth factors of 1 change nothing, but make every sample be examined.
        const std::vector<double> ones(10, 1.0);
        const SamplesView shaped{ten.xyz, {}, ones, {}};
        Moments moments;
        moments.add(ten);
        const BoxMass::Sums quick = mass.sums(ten, moments), each = mass.sums(shaped);
        CHECK(quick.known.weight == each.known.weight);
        CHECK(quick.known.outside == each.known.outside);
        CHECK(quick.known.beyond == each.known.beyond);
        CHECK(quick.edges == each.edges);
      }
    }
}

TEST_CASE("shapes of samples' own are integrated as kernels of these", "[mass_in_box]") {
  constexpr Symmetric3 kOther{0.5, -0.1, 0.05, 0.25, 0.1, 1};
  const std::vector<double> xyz{0, 0, 0, 0.3, -0.2, 0.1};
  const std::vector<double> shapes{kTilted.xx, kTilted.xy, kTilted.xz, kTilted.yy,
                                   kTilted.yz, kTilted.zz, kOther.xx,  kOther.xy,
                                   kOther.xz,  kOther.yy,  kOther.yz,  kOther.zz};
  for (const KernelFunction function : kKernelFunctions)
    for (const Box& box : boxes()) {
      const SamplesView both{xyz, {}, {}, shapes};
      const double first = mass_in_box({function, kTilted}, box, both.slice(0, 1)).weight;
      const double second =
          mass_in_box({function, kOther}, box, {std::span(xyz).subspan(3)}).weight;
      CHECK(mass_in_box({function, kOther}, box, both).weight ==
            Approx(first + second).epsilon(1e-12));
      CHECK(first == mass_in_box({function, kTilted}, box, {std::span(xyz).first(3)}).weight);
    }
}

TEST_CASE("samples far from the box do not change which kernels at edges are integrated",
          "[mass_in_box]") {
  const Kernel kernel{KernelFunction::epanechnikov, kTilted};
  std::mt19937 random(7);
  std::uniform_real_distribution<double> at(-1, 1);
  Samples near, all;
  for (int i = 0; i < 40000; ++i) {
    for (int axis = 0; axis < 3; ++axis) near.xyz.push_back(at(random));
    all.xyz.insert(all.xyz.end(), near.xyz.end() - 3, near.xyz.end());
    for (int far = 0; far < i % 3; ++far) all.xyz.insert(all.xyz.end(), {99, 99, 99});
  }
  const Box box{{-0.2, -0.3, -0.2}, {0.2, 0.1, 0.3}};
  CHECK(mass_in_box(kernel, box, all.view()).weight ==
        Approx(mass_in_box(kernel, box, near.view()).weight).epsilon(1e-11));
}

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
    const double lost = function->tail(kernel.cut());
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
