#include "core/cloud/thinned_samples.hpp"

#include <algorithm>
#include <random>

#include "core/cloud/moments.hpp"
#include "support/catch.hpp"

using namespace skde;

namespace {

Samples normal_cloud(std::size_t count) {
  std::mt19937 random(11);
  std::normal_distribution<double> at;
  Samples samples;
  for (std::size_t i = 0; i < 3 * count; ++i) samples.xyz.push_back(at(random));
  return samples;
}

void add(Samples& samples, Vec3 p) { samples.xyz.insert(samples.xyz.end(), {p.x, p.y, p.z}); }

Box inner(const Samples& samples, std::size_t part = 1000000000) {
  ThinnedSamples thinned;
  const SamplesView all = samples.view();
  for (std::size_t i = 0; i < all.size(); i += part)
    thinned.add(all.slice(i, std::min(part, all.size() - i)));
  return thinned.without_outliers(compute_moments(all).bounds());
}

}  // namespace

TEST_CASE("clouds without outliers keep their bounds", "[thinned_samples]") {
  for (const std::size_t count : {1, 5, 30, 1000, 300000}) {
    INFO(count);
    const Samples samples = normal_cloud(count);
    CHECK(inner(samples) == compute_moments(samples.view()).bounds());
  }
  // A second place with a tenth of the samples is not an outlier.
  Samples two = normal_cloud(900);
  for (int i = 0; i < 100; ++i) add(two, {1000, 0.01 * i, 0});
  CHECK(inner(two) == compute_moments(two.view()).bounds());
  // An axis along which nearly all samples are equal does not make outliers either.
  Samples flat;
  for (int i = 0; i < 100; ++i) add(flat, {0.01 * i, 1, i == 50 ? 7.0 : 0.0});
  CHECK(inner(flat) == compute_moments(flat.view()).bounds());
}

TEST_CASE("one far sample does not widen the box", "[thinned_samples]") {
  for (const std::size_t count : {20, 1000, 300000})
    for (const Vec3 far : {Vec3{1e6, 0, 0}, {0, -1e3, 0}, {50, 50, -50}}) {
      INFO(count << " samples, one at " << far.x << ", " << far.y << ", " << far.z);
      Samples samples = normal_cloud(count);
      const Box alone = compute_moments(samples.view()).bounds();
      add(samples, far);
      const Box box = inner(samples);
      for (int axis = 0; axis < 3; ++axis) {
        CHECK(box.lower[axis] >= alone.lower[axis]);
        CHECK(box.upper[axis] <= alone.upper[axis]);
        CHECK(box.extent()[axis] > 0.9 * alone.extent()[axis]);
      }
    }
}

TEST_CASE("up to a hundredth of the samples are outliers", "[thinned_samples]") {
  for (const int far : {8, 20}) {
    Samples samples = normal_cloud(1000);
    const Box alone = compute_moments(samples.view()).bounds();
    for (int i = 0; i < far; ++i) add(samples, {1000, 0.01 * i, 0});
    INFO(far);
    CHECK(inner(samples).upper.x == (far == 8 ? alone.upper.x : 1000));
  }
}

TEST_CASE("thinned samples keep their own weights", "[thinned_samples]") {
  std::mt19937 random(3);
  std::normal_distribution<double> at;
  Samples samples;
  for (int i = 0; i < 300000; ++i) {  // narrow ones with weight, wide ones with next to none
    const bool wide = random() % 2 == 0;
    for (int axis = 0; axis < 3; ++axis) samples.xyz.push_back((wide ? 20 : 1) * at(random));
    samples.weights.push_back(wide ? 1e-6 : 1);
  }
  ThinnedSamples thinned;
  thinned.add(samples.view());
  const Symmetric3 covariance = thinned.robust_covariance().value();
  CHECK(covariance.xx == Approx(1).epsilon(0.15));
  CHECK(covariance.zz == Approx(1).epsilon(0.15));
}

TEST_CASE("thinned samples do not depend on the parts that they came in", "[thinned_samples]") {
  Samples samples = normal_cloud(400000);
  add(samples, {1e3, 0, 0});
  const Box whole = inner(samples);
  for (const std::size_t part : {1000, 77777, 131072}) CHECK(inner(samples, part) == whole);
}
