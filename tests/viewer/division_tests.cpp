#include "viewer/scene/view_parts.hpp"

#include <random>

#include "support/thrown_error.hpp"
#include "viewer/panel_stage.hpp"
#include "viewer/session/view_options.hpp"

namespace {

using namespace skde;
using namespace skde::test;
using namespace skde::view;

ViewState shown(ViewLayout layout) {
  ViewState state;
  state.layout = layout;
  return state;
}

TEST_CASE("the bar has a column of its own from 320 by 240 pixels on") {
  for (const float scale : {1.0F, 1.5F, 2.0F})
    for (const glm::ivec2 at_one : {glm::ivec2(320, 240), glm::ivec2(640, 480),
                                    glm::ivec2(1280, 720), glm::ivec2(1920, 1080)})
      for (const ViewLayout layout : {ViewLayout::both, ViewLayout::volume}) {
        const glm::ivec2 size(scale * glm::vec2(at_one));
        const ViewParts parts = view_parts(shown(layout), {{7, 9}, size}, scale);
        CAPTURE(size.x, scale);
        CHECK(static_cast<float>(parts.bar.size.x) >= 63 * scale);
        CHECK(parts.bar.size.x <= parts.volume.size.x);
        CHECK(parts.bar.corner.x == parts.volume.corner.x + parts.volume.size.x);
        CHECK(parts.bar.corner.x + parts.bar.size.x == 7 + size.x);
      }
  CHECK(view_parts(shown(ViewLayout::both), {{0, 0}, {200, 200}}, 1).bar.size.x == 0);
}

TEST_CASE("the volume fills the picture until the method is asked for") {
  const PixelRegion region{{7, 9}, {900, 700}};
  const ViewParts alone = view_parts(ViewState(), region, 1);
  CHECK(alone.method.size.x == 0);
  CHECK(alone.border(1).size.x == 0);
  CHECK(alone.volume.size.x + alone.bar.size.x == 900);
  CHECK(alone.volume.size.y == 700);
}

TEST_CASE("the border between the views is where the mouse has moved it") {
  std::mt19937 random(GENERATE(1, 2, 3, 4, 5, 6));
  const auto draw = [&](int from, int to) {
    return std::uniform_int_distribution<int>(from, to)(random);
  };
  const PixelRegion region{{draw(0, 300), draw(0, 100)}, {draw(200, 1500), draw(200, 1500)}};
  ViewState state = shown(ViewLayout::both);
  const ViewParts before = view_parts(state, region, 1);
  const int axis = region.size.y > region.size.x ? 1 : 0;
  glm::dvec2 pixel(region.corner);
  pixel[axis] += region.size[axis] * (0.2 + 0.1 * draw(0, 6));
  state.division.set_method(method_share_at(before, region, pixel));
  const ViewParts after = view_parts(state, region, 1);
  CAPTURE(region.size.x, region.size.y, pixel.x, pixel.y);
  CHECK(after.border(1).holds(pixel));
  CHECK(after.method.size[axis] + after.volume.size[axis] + (axis == 0 ? after.bar.size.x : 0) ==
        region.size[axis]);
  for (const glm::dvec2 far : {glm::dvec2(-1e4), glm::dvec2(1e4)}) {
    state.division.set_method(method_share_at(before, region, far));
    const ViewParts ends = view_parts(state, region, 1);
    CHECK(ends.method.size[axis] >= region.size[axis] / 10 - 1);
    CHECK(ends.volume.size[axis] > 0);
  }
}

TEST_CASE("flags divide the picture, and are refused where nothing is divided") {
  const auto parse = [](const std::vector<std::string>& flags) {
    return parse_view_options(flags);
  };
  CHECK(parse({"a.ply"}).state.layout == ViewLayout::volume);
  const Division given = parse({"a.ply", "--split", "0.7", "--panel-width", "444"}).state.division;
  CHECK(given == Division{0.7, 444, true});
  CHECK_FALSE(parse({"a.ply", "--panel-width", "0"}).state.division.panels_shown);
  const std::vector<std::vector<std::string>> refused{
      {"a.ply", "--split", "0.95"},
      {"a.ply", "--panel-width", "20"},
      {"a.ply", "--split", "0.5", "--screenshot", "a.png"},
      {"a.ply", "--panel-width", "300", "--screenshot", "a.png"},
      {"a.ply", "--panels", "--panel-width", "0", "--screenshot", "a.png"}};
  for (const auto& flags : refused)
    CHECK(test::thrown_error([&] { parse(flags); }).kind() == ErrorKind::usage);
}

}  // namespace
TEST_CASE("the panels leave the views to themselves at every size and scale") {
  const auto [size, scale] = GENERATE(table<glm::ivec2, float>(
      {{{1280, 720}, 1.0f}, {{2560, 1440}, 2.0f}, {{1920, 1080}, 1.5f}, {{700, 200}, 1.0f}}));
  PanelStage stage(size, scale);
  const PixelRegion views = stage.layout.views;
  CHECK(views.corner.x >= 0);
  CHECK(views.corner.y == 0);
  CHECK(views.corner + views.size == size);
  CHECK(views.size.x > 0);
  const Picture picture = stage.picture();
  CHECK(drawn_pixels(picture, views.corner, views.corner + views.size) == 0);
  CHECK(drawn_pixels(picture, {0, 0}, {views.corner.x, size.y}) > views.corner.x * size.y / 20);
  CHECK_FALSE(stage.actions.state_changed);  // untouched panels change nothing
}

TEST_CASE("the side window is made wider and hidden and brought back") {
  PanelStage stage({1280, 720});
  const int left = stage.layout.views.corner.x;
  CHECK(left == 320);
  const ImVec2 grip{static_cast<float>(left) - 3, 360};
  stage.drag(grip, {grip.x + 100, grip.y});
  CHECK(stage.layout.views.corner.x == left + 100);
  CHECK(stage.state.division.panels == left + 100);
  stage.click(stage.find_in("Panels/##content", {"◀"}).middle);
  CHECK(stage.layout.views.size == glm::ivec2(1280, 720));
  CHECK_FALSE(stage.state.division.panels_shown);
  stage.click(stage.find_in("##handle", {"▶"}).middle);
  CHECK(stage.layout.views.corner.x == left + 100);
}

TEST_CASE("panels give way in a small window, and lie over the views if they are asked for") {
  PanelStage stage({400, 300});
  const auto views_are_whole = [&] {
    return stage.layout.views.corner.x == 0 && stage.layout.views.size == glm::ivec2(400, 300);
  };
  CHECK(views_are_whole());
  CHECK(drawn_pixels(stage.picture(), {60, 0}, {400, 300}) == 0);
  stage.click(stage.find_in("##handle", {"▶"}).middle);
  CHECK(views_are_whole());
  CHECK(drawn_pixels(stage.picture(), {60, 0}, {260, 300}) > 5000);
  stage.click(stage.find_in("Panels/##content", {"◀"}).middle);
  CHECK(drawn_pixels(stage.picture(), {60, 0}, {400, 300}) == 0);
  CHECK(stage.state.division.panels_shown);  // those of larger windows
}
