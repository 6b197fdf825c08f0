#include "bench/measure/statistics.hpp"

#include <catch2/catch.hpp>
#include <stdexcept>
#include <vector>

using namespace skde::bench;
using Values = std::vector<double>;

TEST_CASE("a summary has the order statistics of unsorted values") {
  const Summary s = summarize(Values{5, 1, 4, 2, 3});
  CHECK(s.minimum == 1);
  CHECK(s.lower_quartile == 2);
  CHECK(s.median == 3);
  CHECK(s.upper_quartile == 4);
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
  CHECK_THROWS_AS(time_ratio(Values{1}, Values{}), std::invalid_argument);
}

TEST_CASE("a ratio is of the minima and its spread holds it") {
  const Ratio ratio = time_ratio(Values{2, 2.2, 2.4}, Values{3, 3.2, 3.4});
  CHECK(ratio.value == Approx(1.5));
  CHECK(ratio.low == Approx(3 / 2.3));
  CHECK(ratio.high == Approx(3.3 / 2));
  CHECK(ratio.low <= ratio.value);
  CHECK(ratio.value <= ratio.high);
}

TEST_CASE("a change is called only beyond the noise and beyond the least share") {
  const Values quiet{1.00, 1.01, 1.02, 1.01}, noisy{1.0, 1.6, 1.4, 1.5}, later{1.2, 1.21, 1.22};
  const auto judge = [](const Values& before, const Values& after, double least = kLeastChange) {
    return judge_change(time_ratio(before, after), least);
  };
  CHECK(judge(quiet, later) == Change::slower);
  CHECK(judge(later, quiet) == Change::faster);
  CHECK(judge(noisy, later) == Change::within_noise);
  CHECK(judge(later, noisy) == Change::within_noise);
  CHECK(judge(quiet, quiet) == Change::within_noise);
  const Values hardly{1.03, 1.031, 1.032};  // beyond the noise, but by 3 % alone
  CHECK(judge(quiet, hardly) == Change::within_noise);
  CHECK(judge(quiet, hardly, 0.01) == Change::slower);
}
