#include "viewer/panel_stage.hpp"

using namespace skde;
using namespace skde::test;
using namespace skde::view;

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
