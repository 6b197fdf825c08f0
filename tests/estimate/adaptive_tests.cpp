// Adaptive bandwidth factors by Abramson's law.

#include <algorithm>
#include <cmath>

#include "engines/cpu/ranges/range_reduction.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/references/adaptive_reference.hpp"
#include "support/references/boundary_reference.hpp"
#include "support/references/direct_kernel.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

namespace {

using namespace skde;
using namespace skde::test;

/// Two clumps and samples between them, far from the origin; with different weights if `weighted`.
Samples clumps(std::uint64_t seed, bool weighted, std::size_t count = 400) {
  Random random(seed);
  Samples cloud;
  add_normal(cloud, random, {1e5, 20, -3}, 0.5, count / 2);
  add_normal(cloud, random, {1e5 + 4, 22, -1}, 1.5, count / 4);
  add_uniform(cloud, random, {{1e5 - 3, 16, -6}, {1e5 + 7, 26, 3}}, count / 4);
  for (std::size_t i = 0; weighted && i < cloud.size(); ++i)
    cloud.weights.push_back(random.log_uniform(0.1, 10));
  return cloud;
}

DensityRequest clumps_request(KernelFunction kernel) {
  DensityRequest request;
  request.kernel = kernel;
  request.bandwidth.bandwidth = kTiltedBandwidth;
  request.grid.bounds = Box{{1e5 - 4, 15, -7}, {1e5 + 8, 27, 4}};
  request.grid.dims = {24, 24, 22};
  request.precision = Precision::f64;
  request.min_width = 0;
  request.tolerance = kernel == KernelFunction::gaussian ? 1e-9 : 0;
  request.options.threads = 2;
  return request;
}

}  // namespace

TEST_CASE("sums at points are those of all samples, however they lie", "[adaptive]") {
  for (const KernelFunction kernel : kKernelFunctions)
    for (const double size : {0.02, 1.0, 300.0}) {
      const Samples cloud = clumps(3, true);
      const Kernel wide{kernel, (size * size) * kTiltedBandwidth, 1e-12};
      const DirectKernel direct(kernel, wide.H);
      const std::vector<double> sums = sums_at(cloud.xyz, wide, cloud.view(), 2, silent);
      double worst = 0, most = 0;
      for (std::size_t i = 0; i < cloud.size(); ++i) {
        double sum = 0;
        for (std::size_t j = 0; j < cloud.size(); ++j) {
          const Vec3 d = cloud.view().point(i) - cloud.view().point(j);
          sum += cloud.weights[j] * direct.at({d.x, d.y, d.z});
        }
        worst = std::max(worst, std::abs(sums[i] - sum));
        most = std::max(most, sum);
      }
      INFO(kernel->name << " of size " << size);
      CHECK(worst < 1e-9 * most);
      const std::vector<double> alone = sums_at(cloud.xyz, wide, cloud.view(), 1, silent);
      CHECK(alone == sums);
    }
}

TEST_CASE("adaptive densities are those of widths by the law", "[adaptive]") {
  for (const KernelFunction kernel :
       {KernelFunction::epanechnikov, KernelFunction::triweight, KernelFunction::gaussian})
    for (const double alpha : {0.5, 0.2}) {
      Samples cloud = clumps(7, alpha == 0.5);
      DensityRequest request = clumps_request(kernel);
      request.adaptive = alpha;
      Density adaptive = session_with(cloud).compute(request);
      cloud.bandwidth_factors = adaptive_bandwidths(cloud.view(), kernel, kTiltedBandwidth, alpha);
      const BoundaryCase of{cloud, kernel, kTiltedBandwidth, adaptive.facts().grid, {}};
      INFO(kernel->name << ", alpha " << alpha);
      CHECK(relative_distance(adaptive.volume(), boundary_density(of)) < 1e-7);
      REQUIRE(adaptive.facts().adaptive);
      const auto [least, most] = std::ranges::minmax(cloud.bandwidth_factors);
      CHECK(adaptive.facts().adaptive->alpha == alpha);
      CHECK(adaptive.facts().adaptive->least == Approx(least).epsilon(1e-6));
      CHECK(adaptive.facts().adaptive->largest == Approx(most).epsilon(1e-6));
      CHECK(adaptive.metadata.adaptive == alpha);
      CHECK(most > 1.5 * least);
    }
}

TEST_CASE("a session goes to and fro between adaptive and common widths", "[adaptive]") {
  Session session = session_with(clumps(9, false));
  DensityRequest request = clumps_request(KernelFunction::biweight);
  request.engine = "tile";  // tile is reproducible to the bit
  const auto volume = [&](std::optional<double> alpha) {
    request.adaptive = alpha;
    return session.compute(request).take_volume();
  };
  const Volume common = volume({}), root = volume(0.5), third = volume(0.3);
  CHECK(relative_distance(common, root) > 0.05);
  CHECK(relative_distance(third, root) > 0.01);
  CHECK(same_bits(volume(0.5), root));
  CHECK(same_bits(volume({}), common));
  const Density again = session.compute(request);
  CHECK(std::ranges::none_of(again.facts().stages,
                             [](const StageTime& stage) { return stage.stage == "pilot"; }));
}

TEST_CASE("the pilot knows the faces of the box", "[adaptive]") {
  // A lattice that fills a periodic box has the same density everywhere, so all factors are 1.
  Samples lattice;
  for (int i = 0; i < 1000; ++i)
    for (const int at : {i % 10, i / 10 % 10, i / 100}) lattice.xyz.push_back((at + 0.5) / 10);
  Session session = session_with(lattice);
  DensityRequest request{.bandwidth = {.bandwidth = Symmetric3{0.04, 0, 0, 0.04, 0, 0.04}},
                         .grid = {.bounds = Box{{0, 0, 0}, {1, 1, 1}}, .dims = {{20, 20, 20}}},
                         .adaptive = 0.5};
  for (const Boundary boundary : {Boundary::periodic, Boundary::reflect}) {
    request.boundaries = {boundary, boundary, boundary};
    const Density kept = session.compute(request);
    CHECK(kept.facts().adaptive->least == Approx(1).epsilon(1e-9));
    CHECK(kept.facts().adaptive->largest == Approx(1).epsilon(1e-9));
  }
  request.boundaries = {};
  CHECK(session.compute(request).facts().adaptive->largest > 1.4);
}

TEST_CASE("samples beyond faces have no part in the widths of the others", "[adaptive]") {
  for (const Boundary boundary : {Boundary::reflect, Boundary::renormalize}) {
    const Samples cloud = clumps(5, true);
    DensityRequest request = clumps_request(KernelFunction::biweight);
    request.boundaries = {Boundary::none, boundary, Boundary::periodic};
    request.grid.bounds->lower.y = 19;  // within the first clump
    request.grid.bounds->upper.z = 0;   // the period moves samples, and loses none
    request.adaptive = 0.5;
    request.normalization = Normalization::count;
    Samples inside;
    for (std::size_t i = 0; i < cloud.size(); ++i)
      if (cloud.xyz[3 * i + 1] >= 19) append_samples(inside, cloud.view().slice(i, 1));
    REQUIRE(inside.size() < cloud.size());
    const auto volume = [&](const Samples& samples) {
      return session_with(samples).compute(request).take_volume();
    };
    INFO(word_of(kBoundaries, boundary));
    CHECK(relative_distance(volume(cloud), volume(inside)) < 1e-12);
  }
}

TEST_CASE("widths adapt where samples have none of their own and are in memory", "[adaptive]") {
  Samples cloud = clumps(2, false);
  cloud.bandwidth_factors.assign(cloud.size(), 1.0);
  Session session = session_with(cloud);
  DensityRequest request = clumps_request(KernelFunction::triweight);
  request.adaptive = 0.5;
  const Error refused = thrown_error([&] { static_cast<void>(session.compute(request)); });
  CHECK(refused.kind() == ErrorKind::usage);
  CHECK(refused.parameter() == "adaptive");
}
