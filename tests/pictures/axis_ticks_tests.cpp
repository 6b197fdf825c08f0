#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "pictures/axis_ticks.hpp"
#include "support/catch.hpp"

using namespace skde;

namespace {

/// Whether a step is 1, 2 or 5 times a power of ten.
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

namespace {

std::vector<std::string> labels_of(double lower, double upper, int most) {
  return choose_log_ticks(lower, upper, most).labels;
}

}  // namespace

TEST_CASE("ticks of a logarithmic axis are its powers of ten, with their multiples between them") {
  const AxisTicks ticks = choose_log_ticks(3e-3, 40, 8);
  CHECK(ticks.labels ==
        std::vector<std::string>{"10\u207b\u00b2", "10\u207b\u00b9", "10\u2070", "10\u00b9"});
  REQUIRE(ticks.positions.size() == 4);
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(ticks.positions[i] == Approx(std::pow(10.0, static_cast<double>(i) - 2)).epsilon(1e-12));
  // 4e-3 to 9e-3, three decades of 2 to 9, and 20 and 30.
  CHECK(ticks.minor.size() == 6 + 3 * 8 + 2);
  CHECK(ticks.minor.front() == Approx(4e-3));
  CHECK(ticks.minor.back() == Approx(30));
  CHECK(std::ranges::is_sorted(ticks.minor));
  CHECK(ticks.offset == 0);
  CHECK(ticks.exponent == 0);
}

TEST_CASE("powers of ten at both ends of a logarithmic axis have their ticks") {
  for (const double lower : {1e-300, 1e-17, 1e-3, 1.0, 1e5}) {
    CAPTURE(lower);
    const double upper = lower * 1e6;
    const AxisTicks ticks = choose_log_ticks(lower, upper, 7);
    CHECK(ticks.positions.size() == 7);
    CHECK(ticks.positions.front() >= lower);
    CHECK(ticks.positions.back() <= upper);
  }
}

TEST_CASE("many powers of ten on a logarithmic axis share few labels and have no multiples") {
  for (const double lower : {1e-300, 3e-77, 1e-31, 1e-9})
    for (const int most : {1, 2, 5, 8}) {
      CAPTURE(lower, most);
      const AxisTicks ticks = choose_log_ticks(lower, 20, most);
      CHECK(!ticks.labels.empty());
      CHECK(ticks.labels.size() <= static_cast<std::size_t>(most));
      CHECK(ticks.labels.size() == ticks.positions.size());
      const auto powers = static_cast<std::size_t>(2 - std::ceil(std::log10(lower)));
      CHECK(ticks.positions.size() + ticks.minor.size() == powers);
    }
  CHECK(labels_of(1e-6, 1, 4) ==
        std::vector<std::string>{"10\u207b\u2076", "10\u207b\u2074", "10\u207b\u00b2", "10\u2070"});
}

TEST_CASE("a logarithmic axis of less than two powers of ten has round numbers") {
  CHECK(labels_of(2, 5, 5) == choose_ticks(2, 5, 4).labels);
  CHECK(labels_of(2, 50, 5) == choose_ticks(2, 50, 4).labels);
  CHECK(labels_of(0, 5, 5) == choose_ticks(0, 5, 4).labels);
  CHECK(labels_of(-1, 100, 5) == choose_ticks(-1, 100, 4).labels);
  CHECK(choose_log_ticks(2, 50, 5).minor.empty());
  CHECK(labels_of(3, 3, 5).size() == 1);
  CHECK(labels_of(1, std::numeric_limits<double>::infinity(), 5).size() == 1);
}
