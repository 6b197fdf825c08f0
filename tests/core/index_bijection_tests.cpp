#include "core/cloud/index_bijection.hpp"

#include "support/catch.hpp"

#include <cmath>
#include <vector>

using namespace skde;

TEST_CASE("every index has one place in a seeded order", "[index_bijection]") {
  for (const std::uint64_t count : {1u, 2u, 3u, 5u, 64u, 1000u, 65537u}) {
    INFO(count);
    const IndexBijection order(count, 7);
    std::vector<int> seen(count, 0);
    for (std::uint64_t place = 0; place < count; ++place) {
      const std::uint64_t index = order(place);
      REQUIRE(index < count);
      ++seen[index];
    }
    CHECK(std::vector<int>(count, 1) == seen);
  }
}

TEST_CASE("the first of an order are spread over all, and another seed has others",
          "[index_bijection]") {
  constexpr std::uint64_t kCount = 1000000, kFirst = 20000;
  const IndexBijection one(kCount, 1), other(kCount, 2);
  double sum = 0;
  std::uint64_t same = 0;
  std::vector<int> tenths(10, 0);
  for (std::uint64_t place = 0; place < kFirst; ++place) {
    sum += static_cast<double>(one(place));
    same += one(place) == other(place) ? 1 : 0;
    ++tenths[one(place) / (kCount / 10)];
  }
  // Five standard deviations of the mean of uniform numbers, and of the count in a tenth.
  CHECK(std::abs(sum / kFirst / kCount - 0.5) < 5 * 0.289 / std::sqrt(double(kFirst)));
  for (const int count : tenths) CHECK(std::abs(count - 2000) < 5 * std::sqrt(1800.0));
  CHECK(same < 5);
}
