// Decisions about integer accumulation before anything is summed.
#include "estimate/plan/sums_plan.hpp"

#include "engines/registry/registry.hpp"
#include "estimate/read/part_reader.hpp"
#include "estimate/sum/part_sums.hpp"
#include "support/cases/case_parts.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

using namespace skde;
using namespace skde::test;

namespace {

DensityRequest wide_request() {
  return {.bandwidth = {.bandwidth = Vec3{1, 1, 1}},
          .grid = {.bounds = Box{{-5, -5, -5}, {5, 5, 5}}, .dims = {{100, 100, 100}}}};
}

/// Returns the moments of this many samples around 0.
PartialCloud moments_of(double samples) {
  ExactMoments::Sums sums;
  sums.count = static_cast<std::uint64_t>(samples);
  sums.largest_weight = 1;
  sums.bounds = {{-1, -1, -1}, {1, 1, 1}};
  sums.weight.add(samples);
  sums.weight_squared.add(samples);
  for (const std::size_t own : {0, 3, 5}) sums.second[own].add(samples / 3);
  PartialCloud cloud;
  cloud.moments = ExactMoments(sums);
  return cloud;
}

SumsPlan plan_of(const DensityRequest& request, double samples) {
  return plan_sums({}, {.density = request, .whole = moments_of(samples)});
}

}  // namespace

TEST_CASE("integers are summed by the CPU where that is wanted or soon done", "[integers]") {
  DensityRequest request = wide_request();
  CHECK(plan_sums({}, {request}).device == Device::cpu);
  CHECK(plan_of(request, 1000).device == Device::cpu);
  request.device = Device::cpu;
  request.options.threads = 3;
  const SumsPlan plan = plan_of(request, 1e9);
  CHECK(plan.options.devices.empty());
  CHECK(plan.options.threads == 3);
  CHECK(plan.summed_by() == "span, 3 threads");
  request.device.reset();
  request.engine = "span";
  CHECK(plan_of(request, 1e9).summed_by() == plan.summed_by());
}

TEST_CASE("integers of much work are summed by a GPU that is there", "[integers]") {
  const std::vector<int> here = all_devices();
  const SumsPlan plan = plan_of(wide_request(), 1e9);
  CHECK(plan.options.devices == (here.empty() ? here : std::vector{here.front()}));
  DensityRequest named = wide_request();
  named.device = Device::cuda;
  named.options.device = 1 << 20;
  CHECK(devices_for_sums(named, true) == std::vector{1 << 20});
  const SumsPlan nowhere = plan_of(named, 1e9);
  REQUIRE(nowhere.obstacle);
  CHECK(nowhere.obstacle->kind() == ErrorKind::resources);
  CHECK(nowhere.engine.empty());
  CHECK(thrown_error([&] { nowhere.require_runnable(); }) == *nowhere.obstacle);
  named.options.devices = {0, 2};
  CHECK(devices_for_sums(named, false) == std::vector{0, 2});
}

TEST_CASE("integers are not for every engine", "[integers]") {
  DensityRequest request = wide_request();
  request.engine = "tile";
  CHECK(thrown_error([&] { plan_sums({}, {request}); }).kind() == ErrorKind::unsupported);
  for (const EngineEntry& entry : engine_table()) {
    if (!entry.unavailable().empty()) continue;
    CHECK((entry.integers != nullptr) == entry.traits.sums_integers);
    request.engine = entry.traits.name;
    if (entry.integers) CHECK(plan_sums({}, {request}).engine == entry.traits.name);
  }
}

TEST_CASE("sums that memory does not hold have an obstacle, and their need is told", "[integers]") {
  DensityRequest request = wide_request();
  request.grid.dims = {400, 400, 400};
  SumsRequest asked{request, {}, {}, std::int64_t{1} << 29};
  const SumsPlan plan = plan_sums({}, asked);
  REQUIRE(plan.obstacle);
  CHECK(plan.obstacle->kind() == ErrorKind::resources);
  CHECK(plan.memory_limit == std::int64_t{1} << 29);
  CHECK(plan.memory.host_bytes > 8 * 400 * 400 * 400);
  CHECK(plan.memory.volume_bytes == 8 * 400 * 400 * 400);
  CHECK(thrown_error([&] { sum_part({}, plan, silent); }) == *plan.obstacle);
  // One slab fits into the limit, and so does the whole grid with a higher limit.
  asked.share = SumsShare{{100, 30}};
  CHECK_FALSE(plan_sums({}, asked).obstacle);
  CHECK(plan_sums({}, asked).memory.slab_slices == 30);
  asked.share.reset();
  asked.memory_limit = plan.memory.host_bytes + 1;
  CHECK_FALSE(plan_sums({}, asked).obstacle);
}

TEST_CASE("a part is summed as it was planned", "[integers]") {
  const TemporaryFolder folder;
  Samples cloud = gaussian_cloud(400);
  const CloudFiles files = text_file(folder.path("a.xyz"), cloud.view());
  SumsRequest request{cube_request(14, 1), {1, 3}};
  request.memory_limit = std::int64_t{1} << 30;
  request.whole = read_part(files, {}, 0, 100, silent, [](const SamplesView&) {});
  request.density.precision = Precision::f64;
  const SumsPlan plan = plan_sums(files, request);
  CHECK(plan == plan_sums(files, request));
  CHECK(plan.memory.samples == 400 / 3);
  CHECK(plan.forecast.seconds > 0);
  CHECK(plan.forecast.result_bytes == 8 * 14 * 14 * 14);
  const PartialSums sums = sum_part(files, plan, silent);
  CHECK(sums.head.problem == plan.head.problem);
  CHECK(sums.head.h == plan.head.h);
  CHECK(sums.head.bandwidth_source == plan.head.bandwidth_source);
  CHECK(sums.head.cloud.pieces.front().part == 2);
  CHECK(sums.summed_by == plan.summed_by());
  CHECK(sums.sums.size() == static_cast<std::size_t>(plan.memory.volume_bytes / 8));
  // The time is unknown without moments, and for a window, whose changes are not known.
  CHECK(plan_sums(files, {wide_request(), {1, 3}}).forecast.seconds == 0);
  request.part = {};
  request.window = 50;
  const SumsPlan window = plan_sums(files, request);
  CHECK(window.forecast.seconds == 0);
  CHECK(window.window == 50);
  CHECK(window.head.problem == plan.head.problem);
}
