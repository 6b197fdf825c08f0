#include "core/cloud/moments.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "core/cloud/moment_sums.hpp"
#include "support/catch.hpp"

using namespace skde;

namespace {

struct TwoPass {
  long double weight = 0, weight_squared = 0;
  long double mean[3] = {};
  long double covariance[3][3] = {};
};

/// Mean and population covariance by their definitions, in two passes of long double.
TwoPass two_pass(const SamplesView& points) {
  TwoPass result;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const long double w = points.weighted() ? points.weights[i] : 1;
    result.weight += w;
    result.weight_squared += w * w;
    for (std::size_t a = 0; a < 3; ++a) result.mean[a] += w * points.xyz[3 * i + a];
  }
  for (long double& mean : result.mean) mean /= result.weight;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const long double w = points.weighted() ? points.weights[i] : 1;
    for (std::size_t a = 0; a < 3; ++a)
      for (std::size_t b = 0; b < 3; ++b)
        result.covariance[a][b] += w * (points.xyz[3 * i + a] - result.mean[a]) *
                                   (points.xyz[3 * i + b] - result.mean[b]) / result.weight;
  }
  return result;
}

/// Returns correlated samples about `offset`, with a drift along the file so that blocks differ.
Samples random_cloud(std::size_t size, Vec3 offset, double spread, bool weighted,
                     std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::normal_distribution<double> normal;
  std::uniform_real_distribution<double> uniform(0.0, 3.0);
  Samples cloud;
  for (std::size_t i = 0; i < size; ++i) {
    const double u = normal(random), v = normal(random), w = normal(random);
    const double drift = static_cast<double>(i) / static_cast<double>(size);
    cloud.xyz.push_back(offset.x + spread * (u + drift));
    cloud.xyz.push_back(offset.y + spread * (0.5 * u + 2 * v));
    cloud.xyz.push_back(offset.z + spread * (0.3 * w - v - 2 * drift));
    if (weighted) cloud.weights.push_back(uniform(random));
  }
  return cloud;
}

/// `tolerance` is relative to the largest variance; errors of the mean are relative to the
/// deviation.
void check_moments(const Moments& moments, const TwoPass& expected, double tolerance) {
  long double largest = 0;
  for (int a = 0; a < 3; ++a) largest = std::max(largest, expected.covariance[a][a]);
  const auto scale = static_cast<double>(largest);
  CHECK(moments.total_weight() == Approx(double(expected.weight)).epsilon(1e-12));
  CHECK(moments.effective_samples() ==
        Approx(double(expected.weight * expected.weight / expected.weight_squared)).epsilon(1e-12));
  for (int a = 0; a < 3; ++a) {
    const double rounding = 4e-16 * std::abs(double(expected.mean[a]));
    CHECK(std::abs(moments.mean()[a] - double(expected.mean[a])) <=
          tolerance * std::sqrt(scale) + rounding);
    for (int b = 0; b < 3; ++b)
      CHECK(std::abs(moments.covariance()(a, b) - double(expected.covariance[a][b])) <=
            tolerance * scale);
  }
}

void check_same(const Moments& a, const Moments& b) {
  CHECK(a.count() == b.count());
  CHECK(a.total_weight() == b.total_weight());
  CHECK(a.effective_samples() == b.effective_samples());
  CHECK(a.mean() == b.mean());
  CHECK(a.covariance() == b.covariance());
  CHECK(a.bounds() == b.bounds());
}

}  // namespace

TEST_CASE("moments of four samples, by hand", "[moments]") {
  Samples cloud{{0, 0, 0, 2, 0, 0, 0, 4, 0, 2, 4, 8}, {}};
  Moments moments;
  moments.add(cloud.view());
  CHECK(moments.count() == 4);
  CHECK(moments.total_weight() == 4);
  CHECK(moments.effective_samples() == 4);
  CHECK(moments.mean() == Vec3{1, 2, 2});
  CHECK(moments.covariance() == Symmetric3{1, 0, 2, 4, 4, 12});
  CHECK(moments.bounds() == Box{{0, 0, 0}, {2, 4, 8}});
}

TEST_CASE("totals alone are those of the moments", "[moments]") {
  for (const bool weighted : {false, true}) {
    Samples cloud = random_cloud(5000, {3, -2, 1e4}, 2, weighted, 8);
    if (weighted) cloud.weights[0] = cloud.weights[77] = 0;
    Moments moments, totals;
    for (const SamplesView& part : {cloud.view().slice(0, 3000), cloud.view().slice(3000, 0),
                                    cloud.view().slice(3000, 2000)}) {
      moments.add(part);
      totals.add_totals(part);
    }
    CHECK(totals.count() == moments.count());
    CHECK(totals.total_weight() == moments.total_weight());
    CHECK(totals.bounds() == moments.bounds());
  }
}

TEST_CASE("a weight counts as that many samples, except in n_eff", "[moments]") {
  Samples weighted{{1, 2, 3, -4, 5, 7, 2, 2, -9}, {3, 1, 2}};
  Samples repeated{{1, 2, 3, 1, 2, 3, 1, 2, 3, -4, 5, 7, 2, 2, -9, 2, 2, -9}, {}};
  const Moments a = compute_moments(weighted.view()), b = compute_moments(repeated.view());
  CHECK(a.total_weight() == 6);
  CHECK(a.effective_samples() == Approx(36.0 / 14));
  CHECK(b.effective_samples() == 6);
  for (int i = 0; i < 3; ++i) {
    CHECK(a.mean()[i] == Approx(b.mean()[i]));
    for (int j = 0; j < 3; ++j) CHECK(a.covariance()(i, j) == Approx(b.covariance()(i, j)));
  }
}

TEST_CASE("mean and covariance agree with two passes of long double", "[moments]") {
  for (std::size_t size : {2u, 17u, 16384u, 16385u, 50001u})
    for (bool weighted : {false, true}) {
      INFO(size << (weighted ? " weighted" : "") << " samples");
      const Samples cloud = random_cloud(size, {0.3, -2, 5}, 1.5, weighted, size);
      check_moments(compute_moments(cloud.view()), two_pass(cloud.view()), 1e-13);
    }
}

TEST_CASE("an offset of 1e6 costs no digits of the covariance that the samples have", "[moments]") {
  for (double spread : {1.0, 1e-2}) {
    INFO("spread " << spread);
    const Samples cloud = random_cloud(40000, {4.5e5, 5.1e6, -1e6}, spread, true, 7);
    // A mean near 5.1e6 is stored to 2.2e-16 of it; plain sums of squares would lose more.
    const double share = 2.2e-16 * 5.1e6 / spread;
    check_moments(compute_moments(cloud.view()), two_pass(cloud.view()), 4 * share);
  }
}

TEST_CASE("merged parts are the moments of the whole", "[moments]") {
  const Samples cloud = random_cloud(3000, {1e6, -1e6, 10}, 0.5, true, 11);
  const TwoPass expected = two_pass(cloud.view());
  std::mt19937_64 random(5);
  for (int round = 0; round < 20; ++round) {
    Moments merged;
    std::size_t at = 0;
    while (at < cloud.size()) {
      const std::size_t count = std::min<std::size_t>(random() % 900, cloud.size() - at);
      INFO("round " << round << ": " << count << " samples from " << at);
      Moments part;
      part.add(cloud.view().slice(at, count));
      merged.merge(part);
      at += count;
    }
    CHECK(merged.count() == 3000);
    check_moments(merged, expected, 1e-10);
    CHECK(merged.bounds() == compute_moments(cloud.view()).bounds());
  }
}

TEST_CASE("sums about any shift give the same moments", "[moments]") {
  const Samples cloud = random_cloud(500, {3, 4, 5}, 1, true, 13);
  for (Vec3 shift : {Vec3{3, 4, 5}, Vec3{0, 0, 0}, Vec3{-2, 7, 1}}) {
    Moments::Sums sums;
    sums.shift = shift;
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      const double w = cloud.weights[i], x = cloud.xyz[3 * i] - shift.x;
      const double y = cloud.xyz[3 * i + 1] - shift.y, z = cloud.xyz[3 * i + 2] - shift.z;
      ++sums.count;
      sums.weight += w;
      sums.weight_squared += w * w;
      sums.first = sums.first + Vec3{w * x, w * y, w * z};
      sums.second = sums.second +
                    Symmetric3{w * x * x, w * x * y, w * x * z, w * y * y, w * y * z, w * z * z};
    }
    sums.bounds = {{-1, -1, -1}, {9, 9, 9}};
    check_moments(Moments(sums), two_pass(cloud.view()), 1e-12);
    CHECK(Moments(sums).count() == 500);
    CHECK(Moments(sums).bounds() == sums.bounds);
  }
}

TEST_CASE("the number of threads does not change a bit of the moments", "[moments]") {
  const Samples cloud = random_cloud(70001, {100, 200, 300}, 3, true, 17);
  const Moments one = compute_moments(cloud.view(), 1);
  check_same(compute_moments(cloud.view(), 2), one);
  check_same(compute_moments(cloud.view(), 5), one);
  check_same(compute_moments(cloud.view()), one);
}

TEST_CASE("samples may be added all at once or a few at a time", "[moments]") {
  const Samples cloud = random_cloud(50001, {1, 2, 3}, 1, true, 19);
  Moments at_once, by_parts;
  at_once.add(cloud.view());
  check_same(at_once, compute_moments(cloud.view()));
  for (std::size_t i = 0; i < cloud.size(); i += 1000)
    by_parts.add(cloud.view().slice(i, std::min<std::size_t>(1000, cloud.size() - i)));
  CHECK(by_parts.count() == 50001);
  check_moments(by_parts, two_pass(cloud.view()), 1e-13);
}

TEST_CASE("no samples have no moments", "[moments]") {
  const Moments empty = compute_moments({});
  CHECK(empty.count() == 0);
  CHECK(empty.total_weight() == 0);
  CHECK(empty.effective_samples() == 0);
  CHECK(empty.covariance() == Symmetric3{});
  const Samples cloud = random_cloud(10, {-5, -5, -5}, 1, false, 3);
  Moments merged = compute_moments(cloud.view());
  merged.merge(empty);
  check_same(merged, compute_moments(cloud.view()));
  Moments other = empty;
  other.merge(compute_moments(cloud.view()));
  check_same(other, compute_moments(cloud.view()));
}

TEST_CASE("samples of weight 0 are as if they were not there", "[moments]") {
  Samples all{{1e9, 1e9, 1e9, 1, 2, 3, -1e9, 0, 0, 4, 6, 8, 1, 1, 1e9}, {0, 1, 0, 3, 0}};
  Samples kept{{1, 2, 3, 4, 6, 8}, {1, 3}};
  check_same(compute_moments(all.view()), compute_moments(kept.view()));
  CHECK(compute_moments(all.view()).bounds() == Box{{1, 2, 3}, {4, 6, 8}});
  Samples nothing{{1, 2, 3, 4, 5, 6}, {0, 0}};
  CHECK(compute_moments(nothing.view()).count() == 0);
  CHECK(compute_moments(nothing.view()).effective_samples() == 0);
}

TEST_CASE("bounds are the extremes of the samples, wherever they stand", "[moments]") {
  Samples cloud = random_cloud(40000, {-7, -8, -9}, 1, false, 23);
  cloud.xyz[3 * 39999] = -1000;  // in the last block
  cloud.xyz[3 * 20000 + 1] = 2000;
  cloud.xyz[2] = -3000;
  Box expected{{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
  for (std::size_t i = 0; i < cloud.xyz.size(); ++i) {
    const int axis = static_cast<int>(i % 3);
    expected.lower[axis] = std::fmin(expected.lower[axis], cloud.xyz[i]);
    expected.upper[axis] = std::fmax(expected.upper[axis], cloud.xyz[i]);
  }
  CHECK(compute_moments(cloud.view()).bounds() == expected);
  CHECK(expected.lower.x == -1000);
}

namespace {

/// Returns numbers of all magnitudes and signs, many of which cancel.
std::vector<double> wild_numbers(std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> mantissa(-1, 1);
  std::uniform_int_distribution<int> exponent(-1060, 1000);
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    numbers.push_back(std::ldexp(mantissa(random), exponent(random)));
    if (i % 3 == 0) numbers.push_back(-numbers.back());
  }
  return numbers;
}

Samples far_cloud(std::size_t size, bool weighted) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> normal;
  Samples cloud;
  for (std::size_t i = 0; i < size; ++i) {
    cloud.xyz.insert(cloud.xyz.end(),
                     {4e6 + normal(random), -2e5 + 3 * normal(random), 0.1 * normal(random)});
    if (weighted) cloud.weights.push_back(std::exp(3 * normal(random)));
  }
  return cloud;
}

ExactMoments moments_of(const SamplesView& points, std::size_t parts, int threads) {
  ExactMoments all;
  for (std::size_t k = parts; k-- > 0;) {  // merged from the last part to the first
    const std::size_t begin = points.size() * k / parts;
    ExactMoments part;
    part.add(points.slice(begin, points.size() * (k + 1) / parts - begin), threads);
    all.merge(part);
  }
  return all;
}

}  // namespace

TEST_CASE("an exact sum is that of its terms in any order, to the last bit", "[moments]") {
  std::vector<double> numbers = wild_numbers(3000, 1);
  ExactSum forwards, shuffled, left, right;
  for (const double number : numbers) forwards.add(number);
  std::shuffle(numbers.begin(), numbers.end(), std::mt19937_64(2));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    shuffled.add(numbers[i]);
    (i < 1000 ? left : right).add(numbers[i]);
  }
  right.merge(left);
  CHECK(forwards == shuffled);
  CHECK(forwards == right);
  CHECK(forwards.value() == right.value());
  CHECK(forwards.parts() == right.parts());
  for (const double number : numbers) forwards.add(-number);
  CHECK(forwards.value() == 0);
  CHECK(forwards.parts().empty());
}

TEST_CASE("an exact sum is rounded to the nearest double", "[moments]") {
  ExactSum sum;
  sum.add(1);
  sum.add(0x1p-53);
  CHECK(sum.value() == 1);  // a tie rounds to even
  sum.add(0x1p-1074);
  CHECK(sum.value() == 1 + 0x1p-52);
  CHECK(sum.parts() == std::vector<double>{1 + 0x1p-52, -0x1p-53, 0x1p-1074});
  ExactSum back;
  for (const double part : sum.parts()) back.add(part);
  CHECK(back == sum);
  ExactSum negative;
  negative.add(-3);
  negative.add(0x1p-60);
  CHECK(negative.value() == -3);
  ExactSum small;
  small.add(-0x1p-1074);
  CHECK(small.value() == -0x1p-1074);
}

TEST_CASE("products are added to an exact sum without rounding", "[moments]") {
  ExactSum sum;
  sum.add_product(1 + 0x1p-40, 1 - 0x1p-41);
  sum.add(-1);
  sum.add(-0x1p-41);
  CHECK(sum.value() == -0x1p-81);
  ExactSum cube;
  cube.add_product(1 + 0x1p-40, 1 + 0x1p-40, 1 + 0x1p-40);
  cube.add(-1);
  cube.add(-3 * 0x1p-40);
  cube.add(-3 * 0x1p-80);
  CHECK(cube.value() == 0x1p-120);
}

TEST_CASE("a sum that leaves the range of doubles says so", "[moments]") {
  ExactSum sum;
  sum.add_product(1e200, 1e200);
  CHECK(std::isnan(sum.value()));
  ExactSum other;
  other.add(1);
  other.merge(sum);
  CHECK(std::isnan(other.value()));
}

TEST_CASE("exact moments have the same bits however the cloud is divided", "[moments]") {
  const bool weighted = GENERATE(false, true);
  const Samples cloud = far_cloud(100003, weighted);
  const Moments whole = moments_of(cloud.view(), 1, 1).moments();
  for (const std::size_t parts : {2, 3, 7}) {
    const Moments divided = moments_of(cloud.view(), parts, 3).moments();
    CHECK(divided.count() == whole.count());
    CHECK(divided.total_weight() == whole.total_weight());
    CHECK(divided.effective_samples() == whole.effective_samples());
    CHECK(divided.mean() == whole.mean());
    CHECK(divided.covariance() == whole.covariance());
    CHECK(divided.bounds() == whole.bounds());
  }
  const Moments plain = compute_moments(cloud.view());
  CHECK(whole.bounds() == plain.bounds());
  CHECK(whole.count() == plain.count());
  CHECK(whole.total_weight() == Approx(plain.total_weight()).epsilon(1e-13));
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b)
      CHECK(std::abs(whole.covariance()(a, b) - plain.covariance()(a, b)) < 1e-9);
}

TEST_CASE("samples without weight are no part of exact moments", "[moments]") {
  const std::vector<double> xyz{9, 9, 9, 1, 2, 3, 2, 4, 7}, weights{0, 2, 0.5};
  ExactMoments moments;
  moments.add({xyz, weights});
  CHECK(moments.count() == 2);
  CHECK(moments.total_weight() == 2.5);
  CHECK(moments.largest_weight() == 2);
  CHECK(moments.moments().bounds() == Box{{1, 2, 3}, {2, 4, 7}});
  CHECK(moments.moments().covariance().xx == Approx(0.16));
}
