#include "viewer/layers/volume/transfer_function.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "support/catch.hpp"
#include "support/thrown_error.hpp"

namespace {

using namespace skde;
using namespace skde::view;

void check_order(const TransferFunction& function) {
  const auto& points = function.points();
  REQUIRE(points.size() >= 2);
  REQUIRE(points.size() <= TransferFunction::kMostPoints);
  CHECK(points.front().position == 0);
  CHECK(points.back().position == 1);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) CHECK(points[i - 1].position <= points[i].position);
    CHECK((points[i].opacity >= 0 && points[i].opacity <= 1));
  }
}

}  // namespace

TEST_CASE("points of a transfer function stay in order whatever is done to them") {
  std::mt19937 random(7);
  std::uniform_real_distribution<double> value(-0.5, 1.5);
  TransferFunction function;
  for (int step = 0; step < 3000; ++step) {
    const std::size_t index = random() % function.points().size();
    const ControlPoint point{value(random), value(random)};
    switch (random() % 4) {
      case 0:
        function.remove(index);
        break;
      case 1:
        function.move(index, point);
        break;
      default: {
        const std::size_t added = function.add(point);
        REQUIRE(added > 0);
        REQUIRE(added + 1 < function.points().size());
        CHECK(function.points()[added].opacity == std::clamp(point.opacity, 0.0, 1.0));
      }
    }
    check_order(function);
  }
}

TEST_CASE("an added point is on the line of opacities and a removed one is off it") {
  TransferFunction function;
  apply_preset(function, "linear");
  CHECK(function.opacity_at(0.25) == Approx(0.25));
  const std::size_t index = function.add({0.5, 0.1});
  CHECK(index == 1);
  CHECK(function.opacity_at(0.5) == Approx(0.1));
  CHECK(function.opacity_at(0.25) == Approx(0.05));
  function.move(index, {2, 0.3});  // stops at its neighbour
  CHECK(function.points()[index] == ControlPoint{1, 0.3});
  function.remove(index);
  CHECK(function.opacity_at(0.5) == Approx(0.5));
}

TEST_CASE("a table begins and ends with the ends of the colour map and of the line") {
  TransferFunction function;
  for (const auto& [name, map] : kColorMaps) {
    function.colors = map;
    for (const OpacityPreset& preset : kOpacityPresets) {
      CAPTURE(name, preset.name);
      apply_preset(function, preset.name);
      check_order(function);
      const std::vector<glm::vec4> table = function.table(256);
      REQUIRE(table.size() == 256);
      const Rgb first = map_rgb(map, 0), last = map_rgb(map, 1);
      CHECK(table.front() == glm::vec4(first.red, first.green, first.blue, 0));
      CHECK(table.back() ==
            glm::vec4(last.red, last.green, last.blue, preset.points.back().opacity));
    }
  }
}

TEST_CASE("the opacity scale is a factor that ends at opaque") {
  TransferFunction function;
  apply_preset(function, "linear");
  function.opacity_scale = 0.5;
  CHECK(function.table(3)[1].w == Approx(0.25));
  function.opacity_scale = 4;
  CHECK(function.table(5)[1].w == 1);
  function.opacity_scale = 0;
  CHECK(function.table(2)[1].w == 0);
}

TEST_CASE("points out of order and unknown presets are refused") {
  using test::says;
  using test::thrown_error;
  TransferFunction function;
  const TransferFunction before = function;
  CHECK(says(thrown_error([&] { function.set_points({{0, 0}}); }), "2 to 64"));
  CHECK(says(thrown_error([&] { function.set_points({{0.1, 0}, {1, 0}}); }), "position 0"));
  CHECK(says(thrown_error([&] {
               function.set_points({{0, 0}, {0.7, 0}, {0.6, 0}, {1, 0}});
             }),
             "ascending"));
  CHECK(says(thrown_error([&] { function.set_points({{0, 0}, {NAN, 0}, {1, 0}}); }), "ascending"));
  CHECK(says(thrown_error([&] { function.set_points({{0, 0}, {1, 1.5}}); }), "opacity"));
  CHECK(says(thrown_error([&] { apply_preset(function, "shel"); }), "'shell'"));
  CHECK(function == before);
}

TEST_CASE("window and level name a linear and a logarithmic axis and lead back to it") {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> exponent(-12, 12);
  for (int i = 0; i < 200; ++i) {
    const double a = std::pow(10, exponent(random)), b = std::pow(10, exponent(random));
    const ValueAxis axis{std::min(a, b), std::max(a, b), i % 2 == 0};
    const ValueAxis again = with_window_level(axis, window_level(axis));
    CHECK(again.logarithmic == axis.logarithmic);
    CHECK(again.high == Approx(axis.high));
    CHECK(std::abs(again.low - axis.low) <= 1e-9 * (axis.logarithmic ? axis.low : axis.high));
  }
  const ValueAxis decades{1e-3, 10, true};
  CHECK(window_level(decades).window == Approx(4));
  CHECK(window_level(decades).level == Approx(0.1));
  CHECK(decades.value_at(0.25) == Approx(1e-2));
  CHECK(decades.share_of(decades.value_at(0.3)) == Approx(0.3));
  CHECK(with_window_level(decades, {0, 0.1}) == decades);
  CHECK(with_window_level(decades, {2, 0}) == decades);
  CHECK(with_window_level(decades, {2, 1}).low == Approx(0.1));
}

TEST_CASE("an axis reaches the peak of the density") {
  CHECK(axis_up_to(8, false) == ValueAxis{0, 8, false});
  CHECK(axis_up_to(8, true) == ValueAxis{8e-4, 8, true});
  for (const double peak : {0.0, -1.0, 1e-320, HUGE_VAL, double(NAN)})
    for (const bool logarithmic : {false, true}) CHECK(is_valid(axis_up_to(peak, logarithmic)));
}
