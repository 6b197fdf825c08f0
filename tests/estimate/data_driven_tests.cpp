// What data-driven bandwidths depend on, and what they warn of.

#include <cmath>
#include <optional>

#include "bandwidth/cross_validation.hpp"
#include "bandwidth/data_driven_bandwidth.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/references/bandwidth_score_reference.hpp"
#include "support/silent.hpp"

namespace {

using namespace skde;
using namespace skde::test;

constexpr double kRoomEnough = 4e9;

Samples pair_of_clumps(std::size_t count) {
  Random random(11);
  Samples cloud;
  add_normal(cloud, random, {1e4, 20, -3}, 0.5, count / 2);
  add_normal(cloud, random, {1e4 + 2, 21, -1}, 1, count - count / 2);
  return cloud;
}

DataDrivenBandwidth chosen_by(BandwidthRule rule, const Samples& cloud,
                              std::optional<Symmetric3> covariance = {}) {
  BandwidthSpec spec{.bandwidth = rule, .covariance = covariance};
  DataDrivenEffort effort;
  effort.most_bytes = kRoomEnough;
  return data_driven_bandwidth(cloud.view(), compute_moments(cloud.view()),
                               {spec, KernelFunction::epanechnikov}, effort, silent);
}

}  // namespace

TEST_CASE("the ends of a cloud do not meet in the periodic box of its spectrum", "[data_driven]") {
  Random random(3);
  for (const int axis : {0, 1, 2}) {
    Samples cloud;
    Box ends[2]{{{0, 0, 0}, {0.3, 0.3, 0.3}}, {{0, 0, 0}, {0.3, 0.3, 0.3}}};
    ends[1].lower[axis] = 2;
    ends[1].upper[axis] = 2.3;
    for (const Box& end : ends) add_uniform(cloud, random, end, 2100);
    ScoredSamples many{cloud.view(),
                       Symmetric3::diagonal(1, 1, 1),
                       KernelFunction::gaussian,
                       1,
                       0.08,
                       0.5,
                       kRoomEnough,
                       2};
    const auto spectral = least_squares_score(many);
    many.most_bytes = 0;  // leaves only the sum over pairs
    const auto direct = least_squares_score(many);
    CHECK(spectral->at(0.5, silent) == Approx(direct->at(0.5, silent)).epsilon(1e-9));
  }
}

TEST_CASE("a bandwidth of least squares is told to be local where positions repeat",
          "[data_driven]") {
  Samples cloud = pair_of_clumps(400);
  CHECK(chosen_by(BandwidthRule::lscv, cloud).warnings.empty());
  append_samples(cloud, Samples(cloud).view().slice(0, 100));  // 200 of 500 have another's position
  const DataDrivenBandwidth found = chosen_by(BandwidthRule::lscv, cloud);
  REQUIRE_FALSE(found.warnings.empty());
  CHECK(found.warnings[0].kind == "repeated_samples");
  CHECK(found.warnings[0].problem.starts_with("40 % of the weight lies at the position of"));
}

TEST_CASE("the plug-in rule goes by the samples' curvature, whatever the given covariance",
          "[data_driven]") {
  const Samples cloud = pair_of_clumps(300);
  const KernelFunction kernel = KernelFunction::epanechnikov;
  const DataDrivenBandwidth found =
      chosen_by(BandwidthRule::plug_in, cloud, Symmetric3::diagonal(1, 1, 1));
  CHECK(found.bandwidth.h ==
        Approx(plug_in_reference(cloud.view(), kernel->convolution(0), kernel->variance))
            .epsilon(1e-6));
}
