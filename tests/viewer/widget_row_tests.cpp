#include "support/catch.hpp"
#include "viewer/ui/property_rows.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace {

using namespace skde::view::ui;

TEST_CASE("widgets that fit share a line evenly") {
  const auto flowed = flow_widgets(std::vector<float>{30, 40, 50}, 170, 4);
  for (const FlowedWidget& widget : flowed) {
    CHECK(widget.width == 54);
    CHECK_FALSE(widget.new_line);
  }
  const auto uneven = flow_widgets(std::vector<float>{30, 100}, 150, 4);
  CHECK(uneven[0].width == 38);
  CHECK(uneven[1].width == 108);
}

TEST_CASE("widgets never have less than their texts need, nor more than the room") {
  std::mt19937 random(31);
  std::uniform_real_distribution<float> wide(5, 120), rooms(60, 400), gaps(0, 12);
  for (int n = 0; n < 500; ++n) {
    std::vector<float> least(1 + random() % 7);
    for (float& width : least) width = wide(random);
    const float room = rooms(random), gap = gaps(random);
    const auto flowed = flow_widgets(least, room, gap);
    REQUIRE(flowed.size() == least.size());
    CHECK_FALSE(flowed[0].new_line);
    float line = 0, needed = 0;  // of the present line, with its gaps
    for (std::size_t i = 0; i < least.size(); ++i) {
      INFO("row " << n << ", widget " << i << ", room " << room);
      if (flowed[i].new_line) CHECK(needed + gap + least[i] > room);  // no line ends too early
      const bool first = i == 0 || flowed[i].new_line;
      line = first ? flowed[i].width : line + gap + flowed[i].width;
      needed = first ? least[i] : needed + gap + least[i];
      CHECK(flowed[i].width >= std::min(least[i], room));
      CHECK(line <= room + 1e-3F);
    }
  }
}

}  // namespace
