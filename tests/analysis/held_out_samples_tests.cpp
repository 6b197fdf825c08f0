#include <cmath>
#include <limits>

#include "analysis/held_out_samples.hpp"
#include "support/cases/small_clouds.hpp"
#include "support/catch.hpp"

namespace skde {
namespace {

using test::gaussian_cloud;

TEST_CASE("a share of the samples is held out, each sample once") {
  Samples cloud = gaussian_cloud(20000);
  for (std::size_t i = 0; i < cloud.size(); ++i) cloud.weights.push_back(static_cast<double>(i));
  const SplitSamples split = hold_out(cloud.view(), 0.2, 7);
  const double deviation = std::sqrt(20000 * 0.2 * 0.8);
  CHECK(std::abs(static_cast<double>(split.held_out.size()) - 4000) < 5 * deviation);
  REQUIRE(split.kept.size() + split.held_out.size() == cloud.size());
  std::size_t kept = 0, held_out = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const bool is_kept =
        kept < split.kept.size() && split.kept.weights[kept] == static_cast<double>(i);
    const Samples& from = is_kept ? split.kept : split.held_out;
    const std::size_t at = is_kept ? kept++ : held_out++;
    REQUIRE(from.weights.at(at) == static_cast<double>(i));
    REQUIRE(from.view().point(at) == cloud.view().point(i));
  }
  const SplitSamples again = hold_out(cloud.view(), 0.2, 7), other = hold_out(cloud.view(), 0.2, 8);
  CHECK(again.held_out.xyz == split.held_out.xyz);
  CHECK(other.held_out.xyz != split.held_out.xyz);
}

TEST_CASE("the divergence on samples is a mean by weight where both densities are known") {
  const double none = -std::numeric_limits<double>::infinity();
  const std::vector<double> logs{std::log(2.0), std::log(3.0), none, std::log(5.0)};
  const std::vector<double> model{0, std::log(6.0), 0, none}, weights{1, 3, 9, 9};
  const SampledDivergence weighted = sampled_divergence(logs, model, weights);
  CHECK(weighted.value == Approx((std::log(2.0) - 3 * std::log(2.0)) / 4));
  CHECK(weighted.samples == 4);
  CHECK(weighted.undefined == 2);
  CHECK(sampled_divergence(logs, model, {}).value == Approx(0).margin(1e-15));
  CHECK(sampled_divergence({}, {}, {}).value == 0);
}

}  // namespace
}  // namespace skde
