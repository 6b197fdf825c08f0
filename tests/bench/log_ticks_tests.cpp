#include "bench/report/log_ticks.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "bench/report/chart_scale.hpp"

using namespace skde;
using namespace skde::bench;

using Labels = std::vector<std::string>;

TEST_CASE("logarithmic ticks are decades where these are enough") {
  const ChartTicks ticks = choose_log_ticks(80, 1.2e5, 8, TickText::number);
  CHECK(ticks.labels == Labels{"100", "1000", "10⁴", "10⁵"});
  CHECK(ticks.minor.front() == 80);
  CHECK(std::ranges::find(ticks.minor, 2e4) != ticks.minor.end());
  CHECK(std::ranges::find(ticks.minor, 1e4) == ticks.minor.end());
}

TEST_CASE("logarithmic ticks take 1, 2 and 5 where there are few decades") {
  CHECK(choose_log_ticks(9, 110, 8, TickText::number).labels == Labels{"10", "20", "50", "100"});
  CHECK(choose_log_ticks(9, 110, 3, TickText::number).labels == Labels{"10", "30", "100"});
}

TEST_CASE("logarithmic ticks leave decades out where there are many") {
  const ChartTicks ticks = choose_log_ticks(1e-9, 1e9, 7, TickText::number);
  CHECK(ticks.positions.size() <= 7);
  for (std::size_t i = 2; i < ticks.positions.size(); ++i)
    CHECK(ticks.positions[i] / ticks.positions[i - 1] ==
          Approx(ticks.positions[i - 1] / ticks.positions[i - 2]));
}

TEST_CASE("logarithmic ticks lie in the range, ascend and are at least two") {
  for (const double lower : {1e-12, 3.7e-5, 0.9, 1.0, 77.0, 6e8})
    for (const double factor : {1.3, 2.0, 4.1, 10.0, 97.0, 1e4, 1e11})
      for (const int most : {2, 3, 5, 8, 14}) {
        CAPTURE(lower, factor, most);
        const double upper = lower * factor;
        const ChartTicks ticks = choose_log_ticks(lower, upper, most, TickText::number);
        REQUIRE(ticks.positions.size() >= 2);
        REQUIRE(ticks.labels.size() == ticks.positions.size());
        CHECK(ticks.positions.front() >= lower * (1 - 1e-8));
        CHECK(ticks.positions.back() <= upper * (1 + 1e-8));
        CHECK(std::ranges::is_sorted(ticks.positions));
        CHECK(std::set(ticks.labels.begin(), ticks.labels.end()).size() == ticks.labels.size());
        CHECK(ticks.positions.size() <= static_cast<std::size_t>(std::max(most, 6)));
        for (const double minor : ticks.minor)
          CHECK(std::ranges::none_of(ticks.positions, [&](double position) {
            return std::abs(position / minor - 1) < 1e-9;
          }));
      }
}

TEST_CASE("ticks of times carry the unit that fits, and factors a cross") {
  CHECK(tick_text(2e-9, TickText::seconds) == "2 ns");
  CHECK(tick_text(1e-5, TickText::seconds) == "10 µs");
  CHECK(tick_text(0.05, TickText::seconds) == "50 ms");
  CHECK(tick_text(0.9999, TickText::seconds) == "1 s");
  CHECK(tick_text(1000, TickText::seconds) == "1000 s");
  CHECK(tick_text(0.1, TickText::factor) == "×0.1");
  CHECK(tick_text(5e-6, TickText::number) == "5·10⁻⁶");
  CHECK(tick_text(1e12, TickText::number) == "10¹²");
  CHECK(tick_text(0, TickText::number) == "0");
}

TEST_CASE("round numbers hold a value between them") {
  for (const double value : {1.0, 1.9, 2.0, 4.99, 5.0, 9.99, 3.2e-7, 8e11}) {
    CAPTURE(value);
    CHECK(round_below(value) <= value * (1 + 1e-8));
    CHECK(round_above(value) >= value * (1 - 1e-8));
    CHECK(round_above(value) / round_below(value) <= 2.5 * (1 + 1e-8));
  }
  CHECK(round_below(5) == 5);
  CHECK(round_above(5) == 5);
}

TEST_CASE("a logarithmic scale shows all values that it can, and leaves out the others") {
  ChartScale scale({"t", "", AxisScale::log10}, {0, -3, 1e-3, 10, NAN}, true);
  scale.place(0, 400);
  CHECK(scale.lower() < 1e-3);
  CHECK(scale.upper() > 10);
  CHECK(scale.pixel(0.1) - scale.pixel(0.01) == Approx(scale.pixel(1) - scale.pixel(0.1)));
  CHECK(scale.pixel(scale.upper()) == Approx(400));
  CHECK_FALSE(scale.can_show(0));
  CHECK_FALSE(scale.can_show(INFINITY));
}

TEST_CASE("a scale has a range where there is one value or none") {
  const ChartScale one({"t", "", AxisScale::log10}, {5}, false);
  CHECK(one.upper() / one.lower() >= 3.9);
  const ChartScale none({"t", "", AxisScale::linear}, {}, false);
  CHECK(none.lower() == 0);
  CHECK(none.upper() == 1);
}
