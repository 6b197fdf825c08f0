// The score that chooses the bandwidth of a sharpened density.

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bandwidth/data_driven_bandwidth.hpp"
#include "bandwidth/sample_choice.hpp"
#include "bandwidth/sharpened_score.hpp"
#include "support/cases/case_parts.hpp"
#include "support/catch.hpp"
#include "support/references/direct_kernel.hpp"
#include "support/references/sharpened_reference.hpp"
#include "support/silent.hpp"
#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace skde::test;

constexpr KernelFunction kGaussian = KernelFunction::gaussian;
constexpr DataDrivenEffort kEffort{.threads = 2, .most_bytes = 1e9};

/// Samples of a tetrahedron of normal clusters, or of one.
Samples clusters(std::size_t count, bool one, std::uint64_t seed) {
  Random random(seed);
  Samples cloud;
  if (one) {
    add_normal(cloud, random, {}, 1, count);
    return cloud;
  }
  for (const Vec3 at :
       {Vec3{1.5, 1.5, 1.5}, {1.5, -1.5, -1.5}, {-1.5, 1.5, -1.5}, {-1.5, -1.5, 1.5}})
    add_normal(cloud, random, at, 0.4, count / 4);
  return cloud;
}

/// The density of samples at a place, by Gaussians of this covariance.
double density_at(const SamplesView& points, const DirectKernel& kernel, Vec3 at) {
  double sum = 0, weight = 0;
  for (std::size_t j = 0; j < points.size(); ++j) {
    const Vec3 d = points.point(j) - at;
    sum += points.weight(j) * kernel.at({d.x, d.y, d.z});
    weight += points.weight(j);
  }
  return sum / weight;
}

/// The integral of the squared density of Gaussians of covariance H.
double squared(const SamplesView& points, const Symmetric3& H) {
  const DirectKernel twice(kGaussian, 2 * H);
  double sum = 0, weight = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    sum += points.weight(i) * density_at(points, twice, points.point(i));
    weight += points.weight(i);
  }
  return sum / weight;
}

Samples sharpened(Samples points, const Symmetric3& H) {
  points.xyz = sharpened_places(points.view(), H);
  return points;
}

/// The score of folds that follow one another, by its definition.
double score_by_definition(const Samples& points, const Symmetric3& H) {
  const DirectKernel kernel(kGaussian, H);
  const std::size_t count = points.size();
  double held = 0, weight = 0;
  for (std::size_t k = 0; k < 5; ++k) {
    Samples others, fold;
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_held = i >= k * count / 5 && i < (k + 1) * count / 5;
      append_samples(is_held ? fold : others, points.view().slice(i, 1));
    }
    others = sharpened(others, H);
    for (std::size_t i = 0; i < fold.size(); ++i) {
      held += fold.view().weight(i) * density_at(others.view(), kernel, fold.view().point(i));
      weight += fold.view().weight(i);
    }
  }
  return squared(sharpened(points, H).view(), H) - 2 * held / weight;
}

/// The integrated squared error for normal clusters of this deviation at `centres`.
double squared_error(const Samples& points, const Symmetric3& H, const std::vector<Vec3>& centres,
                     double deviation) {
  const auto ball = [](double v) { return Symmetric3::diagonal(v, v, v); };
  const double variance = deviation * deviation, share = 1.0 / static_cast<double>(centres.size());
  Samples middles;
  for (const Vec3 at : centres) middles.xyz.insert(middles.xyz.end(), {at.x, at.y, at.z});
  const DirectKernel wider(kGaussian, ball(variance) + H);
  double cross = 0;
  for (const Vec3 at : centres) cross += share * density_at(points.view(), wider, at);
  return squared(points.view(), H) - 2 * cross + squared(middles.view(), ball(variance));
}

}  // namespace

TEST_CASE("the score of sharpened densities is that of five folds", "[sharpen]") {
  for (const bool weighted : {false, true}) {
    Samples cloud = clusters(203, false, 3);
    Random random(4);
    for (std::size_t i = 0; weighted && i < cloud.size(); ++i)
      cloud.weights.push_back(random.log_uniform(0.1, 10));
    const Symmetric3 S{2, 0.5, -0.3, 1.5, 0.2, 1};
    const ScoredSamples scored{cloud.view(), S, kGaussian, 1, 0, 0, 1e9, 2, 1};
    const auto score = sharpened_score(scored);
    const Samples in_folds = choose_by_value(cloud.view(), cloud.size(), 5);
    for (const double h : {0.05, 0.2, 0.4, 1.5}) {
      INFO("h = " << h);
      CHECK(score->at(h, silent) == Approx(score_by_definition(in_folds, h * h * S)).epsilon(2e-5));
    }
  }
}

TEST_CASE("the score of sharpened densities counts images at faces", "[sharpen]") {
  const Box box{{-1, 0, 2}, {1, 3, 4}};
  const Boundaries boundaries{Boundary::reflect, Boundary::none, Boundary::periodic};
  Random random(9);
  Samples cloud;
  add_uniform(cloud, random, box, 120);
  for (std::size_t i = 0; i < cloud.size(); ++i)
    cloud.weights.push_back(random.log_uniform(0.3, 3));
  const Symmetric3 S = Symmetric3::diagonal(1, 0.8, 1.2);
  const ScoredSamples scored{cloud.view(), S, kGaussian, 0.4, 0, 0, 1e9, 2, 1};
  const auto score = sharpened_score(scored, boundaries, box);
  const Samples in_folds = choose_by_value(cloud.view(), cloud.size(), 5);
  const auto with_images = [&](const Samples& points, const DirectKernel& kernel, Vec3 at) {
    double sum = 0;
    for (int m = -3; m <= 4; ++m)  // mirrored at x = 2 m - 1 from the one before
      for (int n = -3; n <= 3; ++n)
        for (std::size_t j = 0; j < points.size(); ++j) {
          const Vec3 p = points.view().point(j);
          const Vec3 d{(m % 2 == 0 ? p.x : -p.x) + 2 * m - at.x, p.y - at.y, p.z + 2 * n - at.z};
          sum += points.weights[j] * kernel.at({d.x, d.y, d.z});
        }
    return sum;
  };
  const auto moved = [&](Samples points, const Symmetric3& H) {
    points.xyz = sharpened_places(points.view(), H, box, boundaries);
    return points;
  };
  for (const double h : {0.1, 0.25}) {
    const Symmetric3 H = h * h * S;
    const Samples all = moved(in_folds, H);
    double weight = 0, square = 0, held = 0;
    for (const double w : in_folds.weights) weight += w;
    for (std::size_t i = 0; i < all.size(); ++i)
      square +=
          all.weights[i] * with_images(all, DirectKernel(kGaussian, 2 * H), all.view().point(i));
    for (std::size_t k = 0; k < 5; ++k) {
      Samples others, fold;
      for (std::size_t i = 0; i < in_folds.size(); ++i)
        append_samples(i / 24 == k ? fold : others, in_folds.view().slice(i, 1));
      others = moved(others, H);
      double left = 0;
      for (const double w : others.weights) left += w;
      for (std::size_t i = 0; i < fold.size(); ++i)
        held += fold.weights[i] / left *
                with_images(others, DirectKernel(kGaussian, H), fold.view().point(i));
    }
    INFO("h = " << h);
    CHECK(score->at(h, silent) ==
          Approx(square / (weight * weight) - 2 * held / weight).epsilon(1e-4));
  }
}

TEST_CASE("the chosen h of a sharpened density is near its best", "[sharpen]") {
  for (const bool one : {true, false}) {
    const Samples cloud = clusters(800, one, 8);
    const Moments moments = compute_moments(cloud.view());
    const std::vector<Vec3> centres =
        one ? std::vector<Vec3>{{}}
            : std::vector<Vec3>{
                  {1.5, 1.5, 1.5}, {1.5, -1.5, -1.5}, {-1.5, 1.5, -1.5}, {-1.5, -1.5, 1.5}};
    BandwidthSpec lscv;
    lscv.bandwidth = BandwidthRule::lscv;
    const DataDrivenBandwidth chosen =
        data_driven_bandwidth(cloud.view(), moments, {lscv, kGaussian, true}, kEffort, silent);
    Samples turned;
    for (std::size_t i = cloud.size(); i-- > 0;) append_samples(turned, cloud.view().slice(i, 1));
    const DataDrivenBandwidth again =
        data_driven_bandwidth(turned.view(), moments, {lscv, kGaussian, true}, kEffort, silent);
    CHECK(again.best.h == chosen.best.h);
    const auto error = [&](const Symmetric3& H, bool sharpen) {
      return squared_error(sharpen ? sharpened(cloud, H) : cloud, H, centres, one ? 1 : 0.4);
    };
    double plain = 1e9, sharp = 1e9;
    for (double factor = 0.5; factor < 1.6; factor *= 1.12) {
      const Symmetric3 H = (factor * factor) * chosen.bandwidth.H;
      plain = std::min(plain, error(H, false));
      sharp = std::min(sharp, error(H, true));
    }
    INFO((one ? "one cluster, h = " : "four clusters, h = ") << chosen.best.h);
    const double found = error(chosen.bandwidth.H, true);
    CHECK(found < 0.7 * plain);
    CHECK(found < 1.15 * sharp);
  }
}

TEST_CASE("the h of some samples is scaled to all by the power of sharpened densities",
          "[sharpen]") {
  const Samples cloud = clusters(9600, false, 2);
  const Moments moments = compute_moments(cloud.view());
  DataDrivenSpec spec{{}, KernelFunction::biweight, true};
  spec.bandwidth.bandwidth = BandwidthRule::lscv;
  const DataDrivenBandwidth all =
      data_driven_bandwidth(cloud.view(), moments, spec, kEffort, silent);
  CHECK(all.bandwidth.judge == "gaussian");
  const ChosenSamples some =
      chosen_samples(choose_by_value(cloud.view(), kMostSharpened, 1), moments, spec.bandwidth);
  spec.bandwidth = some.bandwidth;
  const DataDrivenBandwidth few =
      data_driven_bandwidth(some.samples, some.moments, spec, kEffort, silent);
  CHECK(all.best.h == Approx(few.best.h * std::pow(8000.0 / 9600, 1.0 / 11)));
  CHECK(all.reference == Approx(few.reference * std::pow(8000.0 / 9600, 1.0 / 7)));
  CHECK(all.bandwidth.h == all.best.h);
  CHECK(all.bandwidth.H.xx == Approx(all.best.h * all.best.h * moments.covariance().xx));
  const DataDrivenBandwidth again =
      data_driven_bandwidth(cloud.view(), moments, {{BandwidthRule::lscv}, kGaussian, true},
                            {.threads = 1, .most_bytes = 1e9}, silent);
  const double ratio = KernelFunction::biweight->scott / kGaussian->scott;
  CHECK(all.best.h == Approx(ratio * again.best.h).epsilon(1e-3));
}

TEST_CASE("rules without a score of sharpened densities are refused", "[sharpen]") {
  const Samples cloud = clusters(100, true, 1);
  const Moments moments = compute_moments(cloud.view());
  for (const BandwidthRule rule : {BandwidthRule::lcv, BandwidthRule::plug_in}) {
    check_thrown(ErrorKind::usage, {"bandwidth=lscv"}, [&] {
      static_cast<void>(
          data_driven_bandwidth(cloud.view(), moments, {{rule}, kGaussian, true}, kEffort, silent));
    });
  }
}
