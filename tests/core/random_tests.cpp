#include "core/cloud/counter_random.hpp"

#include <cmath>
#include <set>
#include <vector>

#include "support/catch.hpp"

using namespace skde;

namespace {

/// Returns the distance of x from the quantile of p.
double quantile_error(double x, long double p) {
  const long double tail = std::erfc(std::abs(static_cast<long double>(x)) / std::sqrt(2.0L)) / 2;
  const long double density =
      std::exp(-static_cast<long double>(x) * x / 2) / std::sqrt(2 * 3.14159265358979323846L);
  return static_cast<double>((tail - (x < 0 ? p : 1 - p)) / density);
}

}  // namespace

TEST_CASE("the words are those of SplitMix64", "[counter_random]") {
  Draws zero(0);  // the first outputs published for seed 0 and for seed 1234567
  CHECK(zero.word() == 0xe220a8397b1dcdafu);
  CHECK(zero.word() == 0x6e789e6aa1b965f4u);
  CHECK(zero.word() == 0x06c45d188009454fu);
  Draws other(1234567);
  CHECK(other.word() == 6457827717110365317u);
  CHECK(other.word() == 3203168211198807973u);
  CHECK(other.word() == 9817491932198370423u);
}

TEST_CASE("uniform draws are the upper 53 bits of a word", "[counter_random]") {
  Draws draws(99), words(99);
  for (int i = 0; i < 1000; ++i) {
    const double expected = std::ldexp(static_cast<double>(words.word() >> 11), -53);
    const double u = draws.uniform();
    REQUIRE(u == expected);
    REQUIRE(u >= 0);
    REQUIRE(u < 1);
  }
  Draws scaled(7), plain(7);
  CHECK(scaled.uniform(-3, 5) == -3 + 8 * plain.uniform());
}

TEST_CASE("the reproducible logarithm agrees with the library's", "[counter_random]") {
  Draws draws(5);
  for (int i = 0; i < 20000; ++i) {
    const double x = std::ldexp(draws.uniform(0.5, 1), static_cast<int>(draws.word() % 1000) - 500);
    REQUIRE(reproducible_log(x) == Approx(std::log(x)).epsilon(1e-15));
  }
  CHECK(reproducible_log(1) == 0);
  for (double x : {1 - 1e-9, 1 + 1e-9, 0.999, 1.001, 0.70710678, 0.70710679, 1.41421356})
    CHECK(reproducible_log(x) == Approx(std::log(x)).epsilon(1e-15));
}

TEST_CASE("normal quantiles invert the distribution to its last digits", "[counter_random]") {
  CHECK(normal_quantile(0.5) == 0);
  CHECK(normal_quantile(0.975) == Approx(1.959963984540054).epsilon(1e-15));
  CHECK(normal_quantile(0.25) == Approx(-0.6744897501960817).epsilon(1e-15));
  double tail = 1e-300;
  for (int step = 0; step < 2193; ++step, tail *= 1.37) {  // up to 0.49
    const double x = normal_quantile(tail);
    INFO("p " << tail << ", x " << x);
    REQUIRE(std::abs(quantile_error(x, tail)) < 2e-15 * (1 + std::abs(x)));
  }
  for (int i = 1; i < 2000; ++i) {
    const double p = i / 2000.0, x = normal_quantile(p);
    INFO("p " << p << ", x " << x);
    REQUIRE(std::abs(quantile_error(x, p)) < 2e-15);
    REQUIRE(x > normal_quantile((i - 0.5) / 2000.0));
  }
}

TEST_CASE("normal draws have the moments of the standard normal", "[counter_random]") {
  Draws draws(31);
  constexpr int kDraws = 100000;
  double sums[5] = {};
  for (int i = 0; i < kDraws; ++i) {
    const double x = draws.normal();
    REQUIRE(std::isfinite(x));
    for (int power = 1; power <= 4; ++power) sums[power] += std::pow(x, power) / kDraws;
  }
  // Five standard errors: the mean of x^k over 1e5 draws has sqrt(E x^2k - (E x^k)^2) / 316.
  CHECK(std::abs(sums[1]) < 5 * 1.0 / 316);
  CHECK(std::abs(sums[2] - 1) < 5 * std::sqrt(2.0) / 316);
  CHECK(std::abs(sums[3]) < 5 * std::sqrt(15.0) / 316);
  CHECK(std::abs(sums[4] - 3) < 5 * std::sqrt(96.0) / 316);
}

TEST_CASE("draws depend on the seed, the stream and the index", "[counter_random]") {
  std::set<std::uint64_t> words;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    for (std::uint64_t stream = 0; stream < 10; ++stream)
      for (std::uint64_t index = 0; index < 10; ++index)
        words.insert(CounterRandom(seed, stream).at(index).word());
  CHECK(words.size() == 1000);
  Draws again = CounterRandom(3, 4).at(5), same = CounterRandom(3, 4).at(5);
  for (int i = 0; i < 10; ++i) CHECK(again.word() == same.word());
}

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
