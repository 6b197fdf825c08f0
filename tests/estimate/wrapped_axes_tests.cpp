// Sessions whose engine wraps around periodic axes, so that samples need no images there.

#include <algorithm>
#include <cmath>

#include "engines/registry/registry.hpp"
#include "estimate/session.hpp"
#include "estimate/values/buffer_pool.hpp"
#include "estimate/values/density_facts.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/references/boundary_reference.hpp"
#include "support/skipped_test.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

namespace {

using namespace skde;
using namespace skde::test;

bool skipped() { return test::skipped(engine_entry("spectral").unavailable()); }

Samples uniform_cloud(std::size_t count) {
  Random random(21);
  Samples cloud;
  add_uniform(cloud, random, {{-0.5, 1, 2}, {3.5, 4, 4.5}}, count);
  return cloud;
}

DensityRequest request_of(const Symmetric3& H, const Boundaries& boundaries) {
  return {.kernel = KernelFunction::gaussian,
          .bandwidth = {.bandwidth = H},
          .like = Grid{{0, 1, 2}, {0.12, 0.12, 0.125}, {25, 25, 19}},
          .boundaries = boundaries,
          .precision = Precision::f64,
          .engine = "spectral",
          .options = {.threads = 2}};
}

Density density_of(const Samples& cloud, const DensityRequest& request) {
  return session_with(cloud).compute(request);
}

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a session leaves the images along an axis to an engine that wraps", "[boundary][wrap]") {
  if (skipped()) return;
  const Samples cloud = uniform_cloud(12);
  const Symmetric3 thin{0.06, 0.03, 0.01, 0.05, -0.02, 0.08}, wide = 25.0 * thin;
  for (const Symmetric3& H : {thin, wide})
    for (const Boundaries& boundaries :
         {Boundaries{kPeriodic, kPeriodic, kPeriodic}, Boundaries{kReflect, kPeriodic, kNone},
          Boundaries{kPeriodic, kNone, kReflect}}) {
      const DensityRequest request = request_of(H, boundaries);
      Density density = density_of(cloud, request);
      INFO(boundaries_text(boundaries) << ", " << density.facts().launch_policy);
      const BoundaryCase of{cloud, request.kernel, H, density.grid(), boundaries};
      const double worst = relative_distance(density.volume(), boundary_density(of));
      CHECK(worst <= density.facts().error_bound);
      CHECK(has(density.facts().launch_policy, "wrapped along"));
      CHECK(has(density.facts().launch_policy, "nodes, wrapped along x") ==
            (boundaries[0] == kPeriodic));
      // The measured error takes all images into account.
      REQUIRE(density.facts().measured);
      CHECK(density.facts().measured->cells == 500);
      CHECK(density.facts().measured->error <= 1.01 * worst);
      CHECK(density.facts().measured->error >= 0.05 * worst);
    }
}

TEST_CASE("kernels that reach over hundreds of boxes are summed by what wraps",
          "[boundary][wrap]") {
  if (skipped()) return;
  const Samples cloud = uniform_cloud(50);
  DensityRequest request = request_of({900, 0, 0, 900, 0, 900}, {kPeriodic, kPeriodic, kPeriodic});
  const auto is_flat = [&](const Density& density) {
    const auto [least, most] = std::ranges::minmax(density.values()->on_host()->values<double>());
    const double flat = 1 / (3 * 3 * 2.375);
    return std::abs(least / flat - 1) < 1e-6 && std::abs(most / flat - 1) < 1e-6;
  };
  CHECK(is_flat(density_of(cloud, request)));
  request.engine = "";  // engines that need images are passed over
  const Density chosen = density_of(cloud, request);
  CHECK(chosen.facts().engine == "spectral");
  CHECK(is_flat(chosen));
  request.engine = "tile";
  const Error error = thrown_error([&] { static_cast<void>(density_of(cloud, request)); });
  CHECK(error.kind() == ErrorKind::usage);
  CHECK(has(error.problem(), "images"));
}

TEST_CASE("clouds and volumes in pieces wrap as the whole does", "[boundary][wrap]") {
  if (skipped()) return;
  DensityRequest request =
      request_of({0.06, 0.03, 0.01, 0.05, -0.02, 0.08}, {kPeriodic, kReflect, kPeriodic});
  request.like = Grid{{0, 1, 2}, {0.03, 0.06, 0.0125}, {100, 50, 190}};
  const Samples cloud = uniform_cloud(3000);
  Density whole = density_of(cloud, request);
  SessionOptions options;
  options.memory_limit = kProgramBytes + (std::int64_t{80} << 20);
  Session tight(options);
  tight.open(cloud);
  Density cut = tight.compute(request);
  INFO(cut.facts().memory.describe());
  CHECK(whole.facts().memory.slabs == 1);
  CHECK(cut.facts().mass_in_box == Approx(whole.facts().mass_in_box).epsilon(1e-12));
  CHECK(relative_distance(cut.volume(), whole.volume()) < 2 * whole.facts().error_bound);
}
