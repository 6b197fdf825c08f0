// Data-driven bandwidths in a request for a density.

#include "bandwidth/data_driven_bandwidth.hpp"
#include "core/cloud/synthetic_cloud.hpp"
#include "estimate/session.hpp"
#include "estimate/values/density_facts.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"
#include "support/opened_sessions.hpp"
#include "support/silent.hpp"
#include "support/temporary_folder.hpp"
#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace skde::test;

DensityRequest request_by(BandwidthRule rule) {
  DensityRequest request = cube_request(24, 1);
  request.bandwidth.bandwidth = rule;
  request.options.threads = 2;
  return request;
}

}  // namespace

TEST_CASE("a density takes the bandwidth that the samples speak for", "[data_driven_session]") {
  const Samples cloud = gaussian_cloud(800, true);
  Session session = session_with(Samples(cloud));
  for (const BandwidthRule rule :
       {BandwidthRule::lcv, BandwidthRule::lscv, BandwidthRule::plug_in}) {
    const std::string name(word_of(kBandwidthRules, rule));
    INFO(name);
    const DensityRequest request = request_by(rule);
    const Density density = session.compute(request, silent);
    DataDrivenEffort effort;
    effort.most_bytes = 1e9;
    const DataDrivenBandwidth expected =
        data_driven_bandwidth(cloud.view(), compute_moments(cloud.view()),
                              {request.bandwidth, request.kernel}, effort, silent);
    CHECK(density.facts().bandwidth.h == Approx(expected.bandwidth.h).epsilon(1e-12));
    CHECK(density.facts().bandwidth.source == name);
    CHECK(density.facts().kernel.H == density.facts().bandwidth.H);
    const auto looked = [&](const Density& of) {
      return std::ranges::count(of.facts().stages, "bandwidth", &StageTime::stage);
    };
    CHECK(looked(density) == 1);
    CHECK(looked(session.compute(request, silent)) == 0);  // reused
  }
}

TEST_CASE("samples that are not in memory, or have widths, have no data-driven bandwidth",
          "[data_driven_session]") {
  const Samples cloud = gaussian_cloud(200000);
  const TemporaryFolder folder;
  SessionOptions options;
  options.memory_limit = std::int64_t{66} << 20;
  Session session(options);
  session.open_in_parts(text_file(folder.path("cloud.txt"), cloud.view()));
  const Error error =
      thrown_error([&] { session.compute(request_by(BandwidthRule::lcv), silent); });
  CHECK(error.kind() == ErrorKind::resources);
  CHECK(error.parameter() == "memory_limit");

  Samples shaped = gaussian_cloud(50);
  shaped.bandwidth_factors.assign(50, 1.0);
  Session other = session_with(std::move(shaped));
  const Error widths =
      thrown_error([&] { other.compute(request_by(BandwidthRule::lscv), silent); });
  CHECK(widths.kind() == ErrorKind::usage);
  CHECK(widths.parameter() == "bandwidth");
}
