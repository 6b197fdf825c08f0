#include "support/catch.hpp"
#include "viewer/ui/value_ticks.hpp"

#include <algorithm>
#include <cmath>
#include <random>

namespace {

using namespace skde;
using namespace skde::view;
using namespace skde::view::ui;

std::vector<std::string> labels(const ValueTicks& ticks) {
  std::vector<std::string> found;
  for (const ValueTick& tick : ticks.ticks)
    if (!tick.label.empty()) found.push_back(tick.label);
  return found;
}

}  // namespace

TEST_CASE("ticks of a linear axis are round numbers where they belong") {
  const ValueTicks ticks =
      value_ticks({0, 0.031, false}, 5, density_quantity(Normalization::density, "m"));
  CHECK(labels(ticks) == std::vector<std::string>{"0.00", "0.01", "0.02", "0.03"});
  CHECK(ticks.ticks[1].share == Approx(0.01 / 0.031));
  CHECK(ticks.caption == "density (m⁻³)");
}

TEST_CASE("ticks of a logarithmic axis are decades with short ticks between them") {
  const ValueTicks ticks =
      value_ticks({1e-4, 1, true}, 8, density_quantity(Normalization::count, ""));
  CHECK(labels(ticks) == std::vector<std::string>{"10⁻⁴", "10⁻³", "10⁻²", "10⁻¹", "10⁰"});
  CHECK(ticks.ticks.size() == 5 + 4 * 8);
  for (const ValueTick& tick : ticks.ticks) CHECK((tick.share >= 0 && tick.share <= 1));
  CHECK(ticks.caption == "samples (per unit volume)");
}

TEST_CASE("many decades share few labels") {
  const ValueTicks ticks =
      value_ticks({1e-30, 1, true}, 6, density_quantity(Normalization::density, "m"));
  CHECK(labels(ticks).size() >= 3);
  CHECK(labels(ticks).size() <= 6);
}

TEST_CASE("a logarithmic axis within a decade has round numbers") {
  const ValueTicks ticks =
      value_ticks({2, 5, true}, 5, density_quantity(Normalization::density, "m"));
  CHECK(labels(ticks).size() >= 2);
  CHECK(labels(ticks).front() == "2");
}

TEST_CASE("a linear axis has nearly as many labels as there is room for") {
  CHECK(labels(value_ticks({4.6, 6.4, false}, 2, {"mag", ""})) ==
        std::vector<std::string>{"5", "6"});
  std::mt19937 random(Catch::getSeed());
  for (int round = 0; round < 1000; ++round) {
    const double low = std::uniform_real_distribution<double>(-50, 50)(random);
    const double length = std::exp(std::uniform_real_distribution<double>(-4, 4)(random));
    const int most = std::uniform_int_distribution<int>(2, 12)(random);
    const auto told =
        static_cast<int>(labels(value_ticks({low, low + length, false}, most, {"v", ""})).size());
    INFO(low << " + " << length << ", at most " << most);
    CHECK(told <= most);
    CHECK(told >= std::max(1, 2 * most / 5));  // the next closer step is at least 2/5 of it
  }
}
