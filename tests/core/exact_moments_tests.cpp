#include "core/cloud/exact_moments.hpp"

#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

using namespace skde;

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
