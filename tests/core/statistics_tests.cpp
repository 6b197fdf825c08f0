#include "core/cloud/statistics.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/cloud/moment_sums.hpp"
#include "core/cloud/synthetic_cloud.hpp"
#include "support/catch.hpp"

using namespace skde;

using Values = std::vector<double>;

TEST_CASE("a summary has the order statistics of unsorted values") {
  const Summary s = summarize(Values{5, 1, 4, 2, 3});
  CHECK(s.minimum == 1);
  CHECK(s.lower_quartile == 2);
  CHECK(s.median == 3);
  CHECK(s.upper_quartile == 4);
  CHECK(s.maximum == 5);
  CHECK(s.relative_spread() == Approx(2.0 / 3));
}

TEST_CASE("quartiles lie between values where no value is there") {
  const Summary s = summarize(Values{1, 2, 3, 5});
  CHECK(s.lower_quartile == Approx(1.75));
  CHECK(s.median == Approx(2.5));
  CHECK(s.upper_quartile == Approx(3.5));
}

TEST_CASE("one value is all of its summary and none is an error") {
  const Summary s = summarize(Values{7});
  CHECK(s.minimum == 7);
  CHECK(s.median == 7);
  CHECK(s.upper_quartile == 7);
  CHECK(s.relative_spread() == 0);
  CHECK_THROWS_AS(summarize(Values{}), std::invalid_argument);
}

namespace {

/// The same sums, sample by sample.
Moments::Sums sums_by_hand(const SamplesView& points) {
  Moments::Sums sums;
  sums.count = points.size();
  sums.shift = points.point(0);
  sums.bounds = {sums.shift, sums.shift};
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Vec3 p = points.point(i), d = p - sums.shift;
    sums.first = sums.first + d;
    sums.second =
        sums.second + Symmetric3{d.x * d.x, d.x * d.y, d.x * d.z, d.y * d.y, d.y * d.z, d.z * d.z};
    for (int axis = 0; axis < 3; ++axis) {
      sums.bounds.lower[axis] = std::min(sums.bounds.lower[axis], p[axis]);
      sums.bounds.upper[axis] = std::max(sums.bounds.upper[axis], p[axis]);
    }
  }
  return sums;
}

}  // namespace

TEST_CASE("sums by vectors have the bits of those number by number", "[plain_sums]") {
  const Samples cloud = make_five_gaussians(5, 0, 3000);
  for (const std::size_t begin : {0, 1, 2, 3})
    for (const std::size_t size : {1, 2, 3, 4, 5, 7, 8, 63, 64, 2900}) {
      INFO(size << " samples from " << begin);
      const SamplesView points = cloud.view().slice(begin, size);
      const Moments::Sums sums = plain_sums(points), expected = sums_by_hand(points);
      CHECK(sums.count == size);
      CHECK(sums.weight == static_cast<double>(size));
      CHECK(sums.weight_squared == static_cast<double>(size));
      CHECK(sums.shift == expected.shift);
      CHECK(sums.first == expected.first);
      CHECK(sums.second == expected.second);
      CHECK(sums.bounds == expected.bounds);
      CHECK(box_around(points) == expected.bounds);
    }
  CHECK(plain_sums({}).count == 0);
}

TEST_CASE("what lies behind the last sample is not looked at", "[plain_sums]") {
  const std::vector<double> numbers{1, 2, 3, -4, 5, 0, NAN, INFINITY, -INFINITY};
  const SamplesView points{std::span(numbers).first(6)};
  const Moments::Sums sums = plain_sums(points);
  CHECK(sums.first == Vec3{-5, 3, -3});
  CHECK(sums.bounds == Box{{-4, 2, 0}, {1, 5, 3}});
  CHECK(box_around(points) == sums.bounds);
}
