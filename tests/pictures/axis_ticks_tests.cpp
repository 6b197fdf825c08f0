#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <string>

#include "pictures/axis_ticks.hpp"

using namespace skde;

namespace {

/// 1, 2 or 5 times a power of ten.
bool is_nice(double step) {
  const double leading = step / std::pow(10.0, std::floor(std::log10(step) + 1e-9));
  return std::abs(leading - 1) < 1e-6 || std::abs(leading - 2) < 1e-6 ||
         std::abs(leading - 5) < 1e-6;
}

double value_of(const std::string& label) {
  const std::string minus = "\u2212";
  return label.starts_with(minus) ? -std::stod(label.substr(minus.size())) : std::stod(label);
}

void check_ticks(double lower, double upper, int intervals) {
  CAPTURE(lower, upper, intervals);
  const AxisTicks ticks = choose_ticks(lower, upper, intervals);
  REQUIRE(ticks.labels.size() == ticks.positions.size());
  REQUIRE(is_nice(ticks.step));
  CHECK(ticks.positions.front() >= lower);
  CHECK(ticks.positions.back() <= upper);
  CHECK(ticks.positions.front() - lower < ticks.step);
  CHECK(upper - ticks.positions.back() < ticks.step);
  CHECK(ticks.positions.size() <= static_cast<std::size_t>(intervals) + 1);
  if (intervals >= 5) CHECK(ticks.positions.size() >= 2);
  for (std::size_t i = 0; i < ticks.positions.size(); ++i) {
    CAPTURE(ticks.labels[i]);
    const double read = ticks.offset + value_of(ticks.labels[i]) * std::pow(10.0, ticks.exponent);
    CHECK(std::abs(read - ticks.positions[i]) <= 1e-3 * ticks.step + 4e-16 * std::abs(upper));
    CHECK(ticks.labels[i].size() <= 9);
    if (i > 0) CHECK(ticks.labels[i] != ticks.labels[i - 1]);
  }
}

}  // namespace

TEST_CASE("ticks are nice, cover the range and read as their positions") {
  for (const double lower : {0.0, -5.0, 1e6, -2e6, 450123.4, 36.2, 1e-12, -7e8})
    for (const double span : {1e-3, 0.17, 1.0, 9.99, 120.0, 3e5, 8e9})
      for (const int intervals : {1, 2, 5, 9, 20}) check_ticks(lower, lower + span, intervals);
  check_ticks(0, 2.5e-300, 6);
  check_ticks(0, 7e300, 6);
  check_ticks(-1e-9, 1e-9, 6);
}

TEST_CASE("ticks far from 0 share an offset") {
  const AxisTicks metres = choose_ticks(1e6, 1e6 + 120, 6);
  CHECK(metres.offset == 1e6);
  CHECK(metres.labels == std::vector<std::string>{"0", "20", "40", "60", "80", "100", "120"});
  CHECK(axis_caption("x", metres, "m") == "x \u2212 1000000 (m)");

  const AxisTicks below = choose_ticks(-2e6, -2e6 + 0.0013, 6);
  CHECK(below.offset == -2e6);
  CHECK(axis_caption("y", below, "") == "y + 2000000 (10\u207b\u00b3)");

  const AxisTicks degrees = choose_ticks(36.2, 42.2, 6);
  CHECK(degrees.offset == 0);
  CHECK(degrees.labels.front() == "37");
}

TEST_CASE("large and small numbers share an exponent") {
  const AxisTicks large = choose_ticks(0, 3e5, 6);
  CHECK(large.exponent == 3);
  CHECK(large.labels.back() == "300");
  const AxisTicks small = choose_ticks(0, 2.9e-5, 3);
  CHECK(small.exponent == -6);
  CHECK(axis_caption("density", small, "m\u207b\u00b3") ==
        "density (10\u207b\u2076 m\u207b\u00b3)");
  CHECK(choose_ticks(0, 0.09, 5).exponent == 0);
}

TEST_CASE("a range without width has one tick") {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto& [lower, upper] :
       {std::pair{0.0, 0.0}, std::pair{3.0, 3.0}, std::pair{3.0, 2.0},
        std::pair{1e6, std::nextafter(1e6, 2e6)}, std::pair{0.0, infinity}}) {
    const AxisTicks ticks = choose_ticks(lower, upper, 8);
    CHECK(ticks.positions.size() == 1);
    CHECK(ticks.labels.size() == 1);
    CHECK(ticks.step == 0);
  }
}
