#include "core/cloud/samples.hpp"

#include <algorithm>
#include <random>

#include "core/cloud/moments.hpp"
#include "core/cloud/thinned_samples.hpp"
#include "support/catch.hpp"

using namespace skde;

TEST_CASE("a cloud is read sample by sample", "[points]") {
  const Samples cloud{{1, 2, 3, 4, 5, 6}, {}};
  CHECK(cloud.size() == 2);
  const SamplesView view = cloud.view();
  CHECK(view.size() == 2);
  CHECK_FALSE(view.weighted());
  CHECK(view.point(0) == Vec3{1, 2, 3});
  CHECK(view.point(1) == Vec3{4, 5, 6});
  CHECK(view.weight(1) == 1);
  CHECK(SamplesView{}.size() == 0);
}

TEST_CASE("a slice keeps each sample with its weight", "[points]") {
  const Samples cloud{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {0.5, 0, 2, 7}};
  const SamplesView slice = cloud.view().slice(1, 2);
  CHECK(slice.weighted());
  CHECK(slice.size() == 2);
  CHECK(slice.point(0) == Vec3{4, 5, 6});
  CHECK(slice.point(1) == Vec3{7, 8, 9});
  CHECK(slice.weight(0) == 0);
  CHECK(slice.weight(1) == 2);
  CHECK(cloud.view().slice(4, 0).size() == 0);
  const Samples plain{{1, 2, 3, 4, 5, 6}, {}};
  CHECK_FALSE(plain.view().slice(1, 1).weighted());
  CHECK(plain.view().slice(1, 1).point(0) == Vec3{4, 5, 6});
}

TEST_CASE("vectors and boxes", "[points]") {
  Vec3 v{1, 2, 3};
  CHECK(v[0] == 1);
  CHECK(v[1] == 2);
  CHECK(v[2] == 3);
  v[0] = 5;
  v[1] = 6;
  v[2] = 7;
  CHECK(v == Vec3{5, 6, 7});
  CHECK(v + Vec3{1, 1, 2} == Vec3{6, 7, 9});
  CHECK(v - Vec3{1, 2, 4} == Vec3{4, 4, 3});
  CHECK(2.0 * v == Vec3{10, 12, 14});
  const Box box{{-1, 0, 2}, {3, 1, 8}};
  CHECK(box.extent() == Vec3{4, 1, 6});
  CHECK(box.centre() == Vec3{1, 0.5, 5});
}

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
