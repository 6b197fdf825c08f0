#include "core/cloud/statistics.hpp"

#include "support/catch.hpp"

#include <stdexcept>
#include <vector>

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
