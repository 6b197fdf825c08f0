#include <cmath>

#include "core/cloud/moments.hpp"
#include "engines/registry/registry.hpp"
#include "gpu/device_fixture.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"

using namespace skde;
using namespace skde::test;

namespace {

Moments on_device(const Samples& cloud) {
  const std::unique_ptr<Engine> engine = make_engine("cuda-chop-crop", {});
  return engine->load(cloud.view())->moments();
}

/// `error` is the allowed rounding of the means as a share of the deviation, and of the covariance
/// as a share of the variance.
void check_moments(const Samples& cloud, double deviation, double error = 1e-11) {
  const Moments device = on_device(cloud), host = compute_moments(cloud.view());
  CHECK(device.count() == host.count());
  CHECK(device.bounds() == host.bounds());
  CHECK(device.total_weight() == Approx(host.total_weight()).epsilon(1e-13));
  CHECK(device.effective_samples() == Approx(host.effective_samples()).epsilon(1e-13));
  const double variance = deviation * deviation;
  for (int i = 0; i < 3; ++i) {
    CHECK(std::abs(device.mean()[i] - host.mean()[i]) <= error * deviation);
    for (int j = 0; j < 3; ++j)
      CHECK(std::abs(device.covariance()(i, j) - host.covariance()(i, j)) <= error * variance);
  }
}

Samples normal_cloud(std::size_t count, Vec3 centre, double deviation) {
  Samples cloud;
  Random random(count);
  add_normal(cloud, random, centre, deviation, count);
  return cloud;
}

}  // namespace

TEST_CASE("moments on the device are those of the host", "[moments]") {
  if (skipped()) return;
  for (const std::size_t count : {1, 2, 3, 31, 1023, 1024, 1025, 20000, 100003}) {
    INFO(count << " samples");
    check_moments(normal_cloud(count, {0.3, -2, 5}, 3), 3);
  }
}

TEST_CASE("moments on the device keep their digits far from the origin", "[moments]") {
  if (skipped()) return;
  check_moments(normal_cloud(50000, {1e6, -2e6, 4e6}, 2), 2, 1e-8);
}

TEST_CASE("moments on the device heed weights", "[moments]") {
  if (skipped()) return;
  Samples cloud = normal_cloud(5000, {1, 2, 3}, 1);
  Random random(9);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.weights.push_back(i % 5 == 0 ? 0 : random.log_uniform(1e-3, 1e3));
  // The farthest sample has weight 0, so it lies outside the bounds.
  cloud.xyz[15] = 1e3;
  check_moments(cloud, 1);
}

TEST_CASE("moments on the device are the same bits twice", "[moments]") {
  if (skipped()) return;
  const Samples cloud = normal_cloud(70000, {10, 20, 30}, 4);
  const Moments first = on_device(cloud), second = on_device(cloud);
  CHECK(first.mean() == second.mean());
  CHECK(first.covariance() == second.covariance());
}
