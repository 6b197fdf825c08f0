#include "core/cloud/covariance_estimates.hpp"

#include <cmath>
#include <random>
#include <vector>

#include "bandwidth/bandwidth.hpp"
#include "core/cloud/moments.hpp"
#include "core/cloud/thinned_samples.hpp"
#include "core/report/error.hpp"
#include "support/catch.hpp"

using namespace skde;

namespace {

/// Normal samples of covariance A A^T with A = ((3, 0, 0), (1, 1, 0), (0, -0.2, 0.5)).
std::vector<Vec3> tilted_normal(std::size_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  std::vector<Vec3> samples(count);
  for (Vec3& p : samples) {
    const double u = normal(random), v = normal(random), w = normal(random);
    p = {3 * u + 100, u + v, -0.2 * v + 0.5 * w};
  }
  return samples;
}

const Symmetric3 kCloudCovariance{9, 3, 0, 2, -0.2, 0.29};

void check_near(const Symmetric3& found, const Symmetric3& expected, double share) {
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      INFO("entry " << a << ", " << b << ": " << found(a, b) << " for " << expected(a, b));
      CHECK(std::abs(found(a, b) - expected(a, b)) <
            share * std::sqrt(expected(a, a) * expected(b, b)));
    }
}

Samples with_weights(const std::vector<Vec3>& points, const std::vector<double>& weights) {
  Samples samples;
  for (const Vec3 p : points) samples.xyz.insert(samples.xyz.end(), {p.x, p.y, p.z});
  samples.weights = weights;
  return samples;
}

}  // namespace

TEST_CASE("of a normal cloud the robust covariance is its covariance", "[robust_covariance]") {
  check_near(robust_covariance(tilted_normal(40000, 3), {}), kCloudCovariance, 0.03);
}

TEST_CASE("a tenth of outliers changes the robust covariance little", "[robust_covariance]") {
  for (const Vec3 far : {Vec3{1e6, 0, 0}, {0, 500, -500}, {0, 0, 30}}) {
    std::vector<Vec3> samples = tilted_normal(20000, 5);
    for (std::size_t i = 0; i < samples.size(); i += 10) samples[i] = samples[i] + far;
    check_near(robust_covariance(samples, {}), kCloudCovariance, 0.45);
    const Moments moments = compute_moments(with_weights(samples, {}).view());
    CHECK(moments.covariance()(0, 0) + moments.covariance()(1, 1) + moments.covariance()(2, 2) >
          1.6 * (9 + 2 + 0.29));
  }
}

TEST_CASE("weights of the robust covariance are counts", "[robust_covariance]") {
  const std::vector<Vec3> places = tilted_normal(501, 7);
  std::vector<double> weights(places.size());
  std::vector<Vec3> repeated;
  for (std::size_t i = 0; i < places.size(); ++i) {
    weights[i] = static_cast<double>(1 + i % 4);
    repeated.insert(repeated.end(), 1 + i % 4, places[i]);
  }
  check_near(robust_covariance(places, weights), robust_covariance(repeated, {}), 1e-12);
}

TEST_CASE("the robust covariance of samples in parts is that of all", "[robust_covariance]") {
  std::vector<Vec3> points = tilted_normal(300000, 9);
  std::vector<double> weights(points.size(), 1);
  for (std::size_t i = 1000; i < weights.size(); ++i) weights[i] = 1 + static_cast<double>(i % 3);
  const Samples samples = with_weights(points, weights);
  ThinnedSamples whole, parts;
  whole.add(samples.view());
  for (std::size_t i = 0; i < points.size(); i += 70001)
    parts.add(samples.view().slice(i, std::min<std::size_t>(70001, points.size() - i)));
  check_near(parts.robust_covariance().value(), whole.robust_covariance().value(), 1e-15);
  check_near(whole.robust_covariance().value(), kCloudCovariance, 0.06);
}

TEST_CASE("a bandwidth takes the robust covariance, and says where there is none",
          "[robust_covariance]") {
  std::vector<Vec3> points = tilted_normal(5000, 11);
  points[17] = {1e5, -1e5, 1e5};
  const Samples samples = with_weights(points, {});
  Moments moments = compute_moments(samples.view());
  BandwidthSpec spec{.bandwidth = 1.0, .form = CovarianceForm::robust};
  CHECK_THROWS_AS(select_bandwidth(moments, spec, KernelFunction::biweight), Error);
  CHECK(outlier_widening(moments) == 1);
  ThinnedSamples thinned;
  thinned.add(samples.view());
  moments.keep_robust_covariance(thinned.robust_covariance());
  check_near(select_bandwidth(moments, spec, KernelFunction::biweight).H, kCloudCovariance, 0.1);
  CHECK(outlier_widening(moments) > 1.5);

  Moments flat = moments;
  flat.keep_robust_covariance(Symmetric3{1, 0, 0, 1, 0, 0});
  CHECK(outlier_widening(flat) == 1);
  CHECK_THROWS_WITH(select_bandwidth(flat, spec, KernelFunction::biweight),
                    Catch::Matchers::ContainsSubstring("half of the samples lie in a plane"));
}
