#include "bench/report/label_placement.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace skde;
using namespace skde::bench;

namespace {

void check_apart(std::vector<double> centres, double height) {
  std::ranges::sort(centres);
  for (std::size_t i = 1; i < centres.size(); ++i)
    CHECK(centres[i] - centres[i - 1] >= height * (1 - 1e-9));
}

/// Numbers in 0..1 without a pattern.
double share(std::size_t i) { return std::fmod(static_cast<double>(i) * 0.7548776662, 1.0); }

}  // namespace

TEST_CASE("labels with room stay where they are wanted") {
  CHECK(push_apart({20, 90, 50}, 16, 0, 200) == std::vector<double>{20, 90, 50});
  CHECK(push_apart({}, 16, 0, 200).empty());
}

TEST_CASE("labels on one place share the way") {
  const std::vector<double> centres = push_apart({100, 100, 100}, 16, 0, 200);
  CHECK(centres == std::vector<double>{84, 100, 116});
}

TEST_CASE("a pushed label pushes the next one on") {
  const std::vector<double> centres = push_apart({100, 102, 117}, 16, 0, 300);
  check_apart(centres, 16);
  CHECK(centres[0] < 100);
  CHECK(centres[2] > 117);
  // The least squares keep the middle of what they move.
  CHECK(centres[0] + centres[1] + centres[2] == Approx(319));
}

TEST_CASE("labels never overlap, keep their order and stay in the column") {
  for (std::size_t count = 1; count <= 12; ++count)
    for (std::size_t seed = 0; seed < 20; ++seed) {
      std::vector<double> wanted;
      for (std::size_t i = 0; i < count; ++i) wanted.push_back(200 * share(31 * seed + i));
      const std::vector<double> centres = push_apart(wanted, 15, -5, 205);
      CAPTURE(count, seed);
      check_apart(centres, 15);
      for (std::size_t i = 0; i < count; ++i) {
        CHECK(centres[i] >= -5 + 7.5 - 1e-9);
        CHECK(centres[i] <= 205 - 7.5 + 1e-9);
        for (std::size_t k = 0; k < count; ++k)
          if (wanted[i] < wanted[k]) CHECK(centres[i] < centres[k]);
      }
    }
}

TEST_CASE("labels that the column has no room for still keep their distance") {
  check_apart(push_apart({10, 20, 30, 40}, 16, 0, 40), 16);
}

TEST_CASE("labels of points overlap neither each other nor points nor obstacles") {
  const Box area{0, 0, 600, 400};
  const std::vector<Box> obstacles{{0, 195, 600, 10}};
  std::vector<LabelAnchor> anchors;
  for (std::size_t i = 0; i < 24; ++i)
    anchors.push_back({200 + 120 * share(i), 60 + 280 * share(5 * i + 3), 90, 15});
  const std::vector<Box> boxes = place_beside(anchors, 5, area, obstacles);
  REQUIRE(boxes.size() == anchors.size());
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    CAPTURE(i);
    CHECK(boxes[i].width == 90);
    CHECK(boxes[i].x >= 0);
    CHECK(boxes[i].right() <= 600);
    CHECK_FALSE(overlap(boxes[i], obstacles[0]));
    for (std::size_t k = 0; k < boxes.size(); ++k) {
      if (k != i) CHECK_FALSE(overlap(boxes[i], boxes[k]));
      CHECK_FALSE(overlap(boxes[i], {anchors[k].x - 4, anchors[k].y - 4, 8, 8}));
    }
  }
}

TEST_CASE("a lone point has its label close at its right") {
  const std::vector<Box> boxes = place_beside({{100, 100, 50, 14}}, 5, {0, 0, 400, 300});
  CHECK(boxes[0].x > 105);
  CHECK(boxes[0].x < 112);
  CHECK(boxes[0].y + 7 == Approx(100));
}

TEST_CASE("a label for which there is no room has no width") {
  CHECK(place_beside({{20, 20, 90, 14}}, 5, {0, 0, 40, 40})[0].width == 0);
}
