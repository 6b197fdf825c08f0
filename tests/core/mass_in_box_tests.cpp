#include "core/kernel/mass_in_box.hpp"

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "core/cloud/synthetic_cloud.hpp"
#include "core/ellipsoid_cases.hpp"
#include "core/precision_form.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"

using namespace skde;
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
