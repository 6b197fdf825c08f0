#include "estimate/values/density_facts.hpp"
#include "estimate/values/density_plan.hpp"

#include "estimate/read/cloud.hpp"
#include "estimate/session.hpp"
#include "estimate/values/memory_plan.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"
#include "support/volume_comparison.hpp"

namespace {

using namespace skde;
using test::cube_request;
using test::gaussian_cloud;
using test::says;
using test::thrown_error;

/// A request with a data-driven bandwidth.
DensityRequest data_driven_request() {
  DensityRequest request = cube_request(16, 0.5, "");
  request.bandwidth.bandwidth = BandwidthRule::plug_in;
  return request;
}

}  // namespace

TEST_CASE("a plan holds what a density would take, and its run is that density", "[plan]") {
  Session session = test::session_with(gaussian_cloud(1000));
  const DensityRequest request = cube_request(32, 0.5, "");
  const DensityPlan plan = session.plan(request, test::silent);
  CHECK(plan.request == request);
  CHECK(plan.offers.size() == engine_table().size());
  CHECK(plan.cloud == CloudFacts{1000, false, false});
  CHECK(plan.moments == session.cloud()->moments);
  CHECK(plan.grid.dims[0] == 32);
  CHECK(plan.engine == "span");
  CHECK(plan.memory.is_whole());
  CHECK(plan.forecast.seconds > 0);
  CHECK(plan.forecast.result_bytes == 4.0 * static_cast<double>(plan.grid.cells()));
  CHECK_FALSE(plan.obstacle);
  CHECK_FALSE(plan.is_provisional);
  CHECK(session.plan(request, test::silent) == plan);
  CHECK_FALSE(session.plan(cube_request(33, 0.5, ""), test::silent) == plan);
  Density planned = session.compute(plan, test::silent),
          direct = session.compute(request, test::silent);
  CHECK(test::same_bits(planned.take_volume(), direct.take_volume()));
  CHECK(direct.facts().engine == plan.engine);
  CHECK(direct.facts().memory == plan.memory);
}

TEST_CASE("a plan of files in parts leaves them to its run, and is made as often as wanted",
          "[plan]") {
  const test::TemporaryFolder folder;
  const Samples cloud = gaussian_cloud(300000);
  const CloudFiles files = test::text_file(folder.path("a.xyz"), cloud.view());
  DensityRequest request = cube_request(16, 0.5, "span");
  for (const bool fixed : {false, true}) {
    if (fixed) request.bandwidth.bandwidth = Vec3{0.5, 0.4, 0.6};
    Session whole, parts({.memory_limit = kProgramBytes + (6 << 20), .keeps_samples = false});
    whole.open(files, test::silent);
    parts.open_in_parts(files);
    const DensityPlan first = parts.plan(request, test::silent),
                      second = parts.plan(request, test::silent);
    CHECK(first.one_pass == (fixed && request.grid.bounds.has_value()));
    CHECK(first.memory.part_samples > 0);
    CHECK(first.grid == second.grid);
    Density of_parts = parts.compute(second, test::silent),
            of_whole = whole.compute(request, test::silent);
    CHECK(of_parts.facts().moments.count() == cloud.size());
    CHECK(test::relative_distance(of_parts.take_volume(), of_whole.take_volume()) <= 1e-6);
  }
}

TEST_CASE("a bandwidth that follows from sums is provisional until the run", "[plan]") {
  Session session = test::session_with(gaussian_cloud(500));
  const DensityRequest request = data_driven_request();
  const DensityPlan guess = session.plan(request, test::silent);
  CHECK(guess.is_provisional);
  CHECK(guess.bandwidth.source == "silverman");
  CHECK(says(thrown_error([&] { session.compute(guess, test::silent); }), "make a new plan"));
  const DensityPlan settled = session.plan(request, test::silent, {.runs = true});
  CHECK_FALSE(settled.is_provisional);
  CHECK(settled.bandwidth.source == "plug-in");
  CHECK(guess.forecast.seconds > settled.forecast.seconds);
  CHECK(session.plan(request, test::silent) == settled);  // known from the plan before
  CHECK(session.compute(request, test::silent).facts().bandwidth == settled.bandwidth);
  DensityRequest adaptive = cube_request(16, 0.5, "");
  adaptive.adaptive = 0.5;
  const DensityPlan pilot = session.plan(adaptive, test::silent);
  CHECK(pilot.is_provisional);
  CHECK(pilot.cloud.shaped);
  CHECK(session.plan(adaptive, test::silent, {.runs = true}).adaptive->largest > 1);
}

TEST_CASE("what stands in the way of a run is in its plan", "[plan]") {
  Session session = test::session_with(gaussian_cloud(1000));
  DensityRequest named = cube_request(16, 0.5, "ranges");
  const DensityPlan refused = session.plan(named, test::silent);
  REQUIRE(refused.obstacle);
  CHECK(refused.engine.empty());
  CHECK(refused.grid.dims[0] == 16);
  CHECK(says(thrown_error([&] { session.compute(refused, test::silent); }),
             refused.obstacle->problem()));
}
