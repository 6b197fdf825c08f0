#include "estimate/stream/sums_place.hpp"

#include <catch2/catch.hpp>

#include "engines/registry.hpp"
#include "support/thrown_error.hpp"

using namespace skde;

namespace {

PartialProblem wide_problem() {
  PartialProblem problem;
  problem.grid = {{-5, -5, -5}, {0.1, 0.1, 0.1}, {100, 100, 100}};
  problem.kernel = {KernelFunction::epanechnikov, {1, 0, 0, 1, 0, 1}};
  return problem;
}

WholeSumsPlace place_of(const DensityRequest& request, double samples) {
  return sums_place(request, wide_problem(), {samples, 100, devices_for_sums(request, false)});
}

}  // namespace

TEST_CASE("whole numbers are summed by the CPU where that is wanted or soon done", "[integers]") {
  DensityRequest request;
  CHECK(place_of(request, 0).devices.empty());
  CHECK(place_of(request, 1000).devices.empty());
  request.device = Device::cpu;
  request.options.threads = 3;
  CHECK(place_of(request, 1e9).devices.empty());
  CHECK(place_of(request, 1e9).threads == 3);
  CHECK(to_text(place_of(request, 1e9)) == "span, 3 threads");
  request.device.reset();
  request.engine = "span";
  CHECK(place_of(request, 1e9).devices.empty());
}

TEST_CASE("whole numbers of much work are summed by a GPU that is there", "[integers]") {
  const std::vector<int> here = all_devices();
  const WholeSumsPlace place = place_of({}, 1e9);
  CHECK(place.devices == (here.empty() ? here : std::vector{here.front()}));
  DensityRequest named;
  named.device = Device::cuda;
  named.options.device = 1 << 20;
  CHECK(devices_for_sums(named, true) == std::vector{1 << 20});
  CHECK(test::thrown_error([&] { place_of(named, 1e9); }).kind() == ErrorKind::resources);
  named.options.devices = {0, 2};
  CHECK(devices_for_sums(named, false) == std::vector{0, 2});
}

TEST_CASE("whole numbers are not for every engine", "[integers]") {
  CHECK(sums_whole_numbers(""));
  CHECK(sums_whole_numbers("cuda-chop-crop"));
  CHECK_FALSE(sums_whole_numbers("tile"));
}
