// Data sharpening: samples moved by half of their mean shift before the sum.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "estimate/plan/sums_plan.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "estimate/values/density_plan.hpp"
#include "estimate/values/memory_plan.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/references/boundary_reference.hpp"
#include "support/references/sharpened_reference.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

namespace {

using namespace skde;
using namespace skde::test;

/// A clump and samples around it, far from the origin; with different weights if `weighted`.
Samples clump(std::uint64_t seed, bool weighted, std::size_t count = 300) {
  Random random(seed);
  Samples cloud;
  add_normal(cloud, random, {1e4, 20, -3}, 0.5, count / 2);
  add_uniform(cloud, random, {{1e4 - 3, 17, -6}, {1e4 + 3, 23, 0}}, count / 2);
  for (std::size_t i = 0; weighted && i < cloud.size(); ++i)
    cloud.weights.push_back(random.log_uniform(0.2, 5));
  return cloud;
}

DensityRequest clump_request(KernelFunction kernel) {
  return {.kernel = kernel,
          .bandwidth = {.bandwidth = kTiltedBandwidth},
          .grid = {.bounds = Box{{1e4 - 4, 16, -7}, {1e4 + 4, 24, 1}}, .dims = {{20, 22, 18}}},
          .precision = Precision::f64,
          .tolerance = 1e-9,
          .sharpen = true,
          .options = {.threads = 2}};
}

/// The covariance of the kernel (1 - q)^p, or of the Gaussian, with H = I.
double variance_of(KernelFunction kernel) {
  if (kernel == KernelFunction::gaussian) return 1;
  return 1.0 / (2 * *kernel->degree + 5);
}

Samples moved_samples(Samples cloud, const DensityRequest& request) {
  const Symmetric3 H = variance_of(request.kernel) * kTiltedBandwidth;
  cloud.xyz = sharpened_places(cloud.view(), H, *request.grid.bounds, request.boundaries);
  return cloud;
}

/// A request with a random box far from the origin or near it, cells, faces, kernel and H.
DensityRequest random_box_request(Random& random) {
  const bool bounded = random.chance(0.6);
  const auto one_of = [&](auto choices) {
    return choices[static_cast<std::size_t>(random.below(3))];
  };
  DensityRequest request = clump_request(
      bounded ? one_of(std::array{KernelFunction::epanechnikov, KernelFunction::biweight,
                                  KernelFunction::triweight})
              : KernelFunction::gaussian);
  const Vec3 lower = random.chance(0.3) ? Vec3{1e6, -2e5, 3e4} : Vec3{};
  const Vec3 size{random.uniform(3, 8), random.uniform(3, 8), random.uniform(3, 8)};
  request.grid.bounds = Box{lower, lower + size};
  for (std::size_t a = 0; a < 3; ++a) {
    (*request.grid.dims)[a] = 2 + random.below(8);
    request.boundaries[a] = one_of(std::array{kNone, kReflect, kPeriodic});
  }
  // Half axes of bounded kernels are two to three times their deviations.
  const auto half_axis = [&] { return random.log_uniform(0.15, bounded ? 0.9 : 0.36); };
  request.bandwidth.bandwidth = random_rotation(random, {half_axis(), half_axis(), half_axis()});
  return request;
}

/// A clump and single samples in a box; with random weights in half of the cases.
Samples random_cloud_in(const Box& box, Random& random) {
  Samples cloud, inside;
  const Vec3 size = box.extent();
  add_uniform(cloud, random, box, static_cast<std::size_t>(1 + random.below(30)));
  add_normal(cloud, random, box.lower + Vec3{random.uniform(0, size.x), size.y / 2, size.z / 3},
             random.uniform(0.1, 1), static_cast<std::size_t>(random.below(30)));
  for (std::size_t i = 0; i < cloud.size(); ++i)
    if (box.holds(cloud.view().point(i))) append_samples(inside, cloud.view().slice(i, 1));
  if (random.chance(0.5))
    for (std::size_t i = 0; i < inside.size(); ++i)
      inside.weights.push_back(random.log_uniform(0.01, 100));
  return inside;
}

}  // namespace

TEST_CASE("sharpened densities are those of moved samples", "[sharpen]") {
  for (const KernelFunction kernel : {KernelFunction::epanechnikov, KernelFunction::uniform,
                                      KernelFunction::triweight, KernelFunction::gaussian})
    for (const bool weighted : {false, true}) {
      const Samples cloud = clump(7, weighted);
      const DensityRequest request = clump_request(kernel);
      Session session = session_with(cloud);
      Density sharpened = session.compute(request);
      const Samples moved = moved_samples(cloud, request);
      INFO(kernel->name << (weighted ? ", weighted" : ""));
      CHECK(sharpened.metadata.sharpened);
      CHECK(sharpened.metadata.samples == cloud.size());
      const BoundaryCase of{moved, kernel, kTiltedBandwidth, sharpened.facts().grid, {}};
      // A cell at the edge of a flat kernel is in it or not.
      if (kernel != KernelFunction::uniform)
        CHECK(relative_distance(sharpened.volume(), boundary_density(of)) < 1e-8);
      const std::vector<Vec3> places{{1e4, 20, -3}, {1e4 + 1.1, 19.2, -2.5}, {1e4 - 0.7, 21, -4}};
      const std::vector<double> expected = boundary_density_at(of, places);
      std::vector<double> xyz;
      for (const Vec3 place : places) xyz.insert(xyz.end(), {place.x, place.y, place.z});
      const PointDensity at = session.evaluate(request, TargetPoints(xyz), {}, silent);
      for (std::size_t i = 0; i < places.size(); ++i)
        CHECK(at.values[i] == Approx(expected[i]).epsilon(1e-7));
    }
}

TEST_CASE("sharpened densities of random requests are those of moved samples", "[sharpen]") {
  std::uint64_t covered = 0;
  for (std::uint64_t seed = 1; seed <= tried(200); ++seed) {
    Random random(seed);
    const DensityRequest request = random_box_request(random);
    const Samples cloud = random_cloud_in(*request.grid.bounds, random);
    const Symmetric3 H = std::get<Symmetric3>(request.bandwidth.bandwidth);
    const Vec3 size = request.grid.bounds->extent();
    Grid grid{request.grid.bounds->lower, {}, *request.grid.dims};
    for (int a = 0; a < 3; ++a)
      grid.spacing[a] = size[a] / double(grid.dims[static_cast<std::size_t>(a)]);
    Samples moved = cloud;
    moved.xyz = sharpened_places(cloud.view(), variance_of(request.kernel) * H,
                                 *request.grid.bounds, request.boundaries);
    const std::vector<double> expected =
        boundary_density({moved, request.kernel, H, grid, request.boundaries});
    INFO("seed " << seed << ", " << request.kernel->name << ", " << cloud.size() << " samples, "
                 << boundaries_text(request.boundaries));
    Session session = session_with(cloud);
    if (std::ranges::all_of(expected, [](double value) { return value == 0; })) {
      CHECK_THROWS_AS(session.compute(request), Error);
      continue;
    }
    ++covered;
    Density density = session.compute(request);
    CHECK(density.grid() == grid);
    CHECK(relative_distance(density.volume(), expected) < 1e-7);
    CHECK(density.facts().mass_in_box <= 1);
  }
  CHECK(covered > tried(200) * 3 / 4);
}

TEST_CASE("samples beyond a face have no part in the moves of the others", "[sharpen]") {
  for (const Boundary boundary : {Boundary::reflect, Boundary::renormalize}) {
    const Samples cloud = clump(5, true);
    DensityRequest request = clump_request(KernelFunction::biweight);
    request.boundaries = {Boundary::none, boundary, Boundary::periodic};
    request.grid.bounds->lower.y = 19;  // within the clump
    request.grid.bounds->upper.z = -2;  // the period moves samples, and loses none
    request.normalization = Normalization::count;
    Samples inside;
    for (std::size_t i = 0; i < cloud.size(); ++i)
      if (cloud.xyz[3 * i + 1] >= 19) append_samples(inside, cloud.view().slice(i, 1));
    REQUIRE(inside.size() < cloud.size());
    const auto volume = [&](const Samples& samples) {
      return session_with(samples).compute(request).take_volume();
    };
    INFO(word_of(kBoundaries, boundary));
    CHECK(relative_distance(volume(cloud), volume(inside)) < 1e-8);
  }
}

TEST_CASE("isolated samples stay, and no move exceeds the kernel's reach", "[sharpen]") {
  Samples cloud{{0, 0, 0, 9, 0, 0, 0, 9, 0, 0, 0, 9}, {}};
  DensityRequest request{
      .kernel = KernelFunction::biweight,
      .bandwidth = {.bandwidth = Symmetric3::diagonal(1, 1, 1)},
      .grid = {.bounds = Box{{-1, -1, -1}, {10, 10, 10}}, .dims = {{33, 33, 33}}},
      .precision = Precision::f64};
  Session session = session_with(cloud);
  const Volume plain = session.compute(request).take_volume();
  request.sharpen = true;
  CHECK(relative_distance(session.compute(request).take_volume(), plain) < 1e-12);
  // Half of the way to a neighbour of far more weight would be twice the reach.
  cloud = Samples{{0, 0, 0, 2.4, 0, 0}, {1e15, 1e-3}};
  request.normalization = Normalization::count;
  session.open(cloud);
  const std::vector<double> at{2.39, 0, 0};  // 0.99 from the place that it may reach
  const double found = session.evaluate(request, TargetPoints(at), {}, silent).values[0];
  CHECK(found == Approx(1e-3 * 105 / (32 * std::numbers::pi) * std::pow(1 - 0.99 * 0.99, 2)));
}

TEST_CASE("a session goes to and fro between sharpened and plain samples", "[sharpen]") {
  for (const bool resident : {false, true}) {
    Session session({.resident = resident});
    session.open(clump(9, false));
    DensityRequest request = clump_request(KernelFunction::biweight);
    request.engine = "tile";                     // tile is reproducible to the bit
    request.grid.bounds->lower = {1e4, 16, -7};  // a face through the clump
    const auto volume = [&](bool sharpen, double size) {
      request.sharpen = sharpen;
      request.bandwidth.bandwidth = size * kTiltedBandwidth;
      return session.compute(request).take_volume();
    };
    const Volume plain = volume(false, 1), sharpened = volume(true, 1), wider = volume(true, 1.5);
    CHECK(relative_distance(plain, sharpened) > 0.05);
    CHECK(relative_distance(sharpened, wider) > 0.05);
    CHECK(same_bits(volume(true, 1), sharpened));
    CHECK(same_bits(volume(false, 1), plain));
    request.sharpen = true;
    const Density again = session.compute(request);
    CHECK(again.facts().mass_in_box < 0.9);
    CHECK(std::ranges::none_of(again.facts().stages,
                               [](const StageTime& stage) { return stage.stage == "pilot"; }));
  }
}

TEST_CASE("what is not sharpened is refused with the reason", "[sharpen]") {
  Samples cloud = clump(2, false);
  const DensityRequest request = clump_request(KernelFunction::triweight);
  Session session;
  const auto refused = [&](const auto& work) {
    const Error error = thrown_error(work);
    INFO(error.what());
    CHECK(error.parameter() == "sharpen");
    CHECK_FALSE(error.advice().suggestion.empty());
  };
  session.open(cloud);
  const std::vector<double> values(cloud.size(), 1.0);
  const TargetPoints points(cloud.xyz);
  refused([&] {
    static_cast<void>(session.evaluate(request, points, {.leave_one_out = true}, silent));
  });
  refused([&] { static_cast<void>(session.means(request, points, values, 1, silent)); });
  DensityRequest adaptive = request;
  adaptive.adaptive = 0.5;
  refused([&] { static_cast<void>(session.compute(adaptive)); });
  SumsRequest sums;
  sums.density = request;
  refused([&] { static_cast<void>(plan_head({}, sums)); });
  cloud.bandwidth_factors.assign(cloud.size(), 1.0);
  session.open(cloud);
  refused([&] { static_cast<void>(session.compute(request)); });
}

TEST_CASE("a plan counts sharpened samples, and is made before their sums", "[sharpen]") {
  Session session = session_with(clump(2, false));
  DensityRequest request = clump_request(KernelFunction::biweight);
  const DensityPlan plan = session.plan(request, silent);
  CHECK(plan.is_provisional);
  CHECK_FALSE(plan.cloud.shaped);
  const DensityPlan ready = session.plan(request, silent, {.runs = true});
  CHECK_FALSE(ready.is_provisional);
  request.sharpen = false;
  CHECK(ready.memory.host_bytes > session.plan(request, silent).memory.host_bytes);
}
