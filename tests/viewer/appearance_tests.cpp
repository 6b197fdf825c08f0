#include "viewer/scene/view_parts.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <random>

#include "support/temporary_folder.hpp"
#include "viewer/panel_stage.hpp"
#include "viewer/window/view_frame.hpp"

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
  stage.frames(2);  // until the handle has its size
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

namespace {

/// A session with a density of a few samples.
struct Seen {
  Seen() {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    std::string rows;
    for (int i = 0; i < 60; ++i)
      rows += fmt::format("{} {} {}\n", normal(random), normal(random), normal(random));
    ViewOptions options;
    options.state.cloud.paths = {folder.file("a.xyz", rows)};
    options.state.density.grid.dims = {20, 0, 0};
    options.state.density.device = Device::cpu;
    session.emplace(options);
    session->wait([] { return false; });
    frame.emplace(nullptr, 1);
  }
  Picture draw(const Appearance& appearance) {
    session->state.appearance = appearance;
    return frame->draw_picture(*session, {560, 420}, false);
  }

  GlFixture context;
  TemporaryFolder folder;
  std::optional<ViewSession> session;
  std::optional<ViewFrame> frame;
};

Appearance undecorated() { return {Theme::dark, Ground::theme, "", false, false, false, false}; }

double mean_of(const Picture& picture) {
  double sum = 0;
  for (const auto& pixel : picture.pixels) sum += (pixel[0] + pixel[1] + pixel[2]) / 765.0;
  return sum / static_cast<double>(picture.pixels.size());
}

}  // namespace

TEST_CASE("a picture on no ground gives those on black and on white, and lies over any other") {
  Seen seen;
  const auto on = [](Ground ground) {
    Appearance appearance;
    appearance.ground = ground;
    return appearance;
  };
  Appearance light;
  light.theme = Theme::light;
  const Picture dark = seen.draw({}), clear = seen.draw(on(Ground::transparent));
  CHECK(mean_of(dark) < 0.3);
  CHECK(mean_of(seen.draw(on(Ground::light))) > 0.6);
  CHECK(mean_of(seen.draw(light)) > 0.6);
  CHECK(clear.at(5, 5)[3] == 0);
  CHECK(dark.at(5, 5)[3] == 255);
  // Over the dark ground it is the picture on that ground, to within rounding.
  const std::array<double, 3> ground{255 * 0.07, 255 * 0.075, 255 * 0.09};
  double worst = 0;
  for (std::size_t i = 0; i < dark.pixels.size(); ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      const double opacity = clear.pixels[i][3] / 255.0;
      const double over = opacity * clear.pixels[i][c] + (1 - opacity) * ground[c];
      worst = std::max(worst, std::abs(over - dark.pixels[i][c]));
    }
  CHECK(worst <= 3);
}

TEST_CASE("decorations and title stand on the picture or do not") {
  Seen seen;
  const Appearance none = undecorated();
  const Picture bare = seen.draw(none);
  const auto differs = [&](Appearance appearance) {
    return seen.draw(appearance).pixels != bare.pixels;
  };
  for (bool Appearance::*one :
       {&Appearance::axes, &Appearance::bar, &Appearance::mass, &Appearance::triad}) {
    Appearance appearance = none;
    appearance.*one = true;
    CHECK(differs(appearance));
  }
  Appearance titled = none;
  titled.title = "Earthquakes off Fiji";
  CHECK(differs(titled));
  CHECK(seen.draw(none).pixels == bare.pixels);
}

TEST_CASE("documents have axes and texts as shapes over a picture without them") {
  Seen seen;
  seen.session->state.appearance.title = "A title";
  const LayeredDocument document = seen.frame->draw_document(*seen.session, {560, 420});
  const auto has = [&](const std::string& text) {
    return std::ranges::any_of(document.texts, [&](const auto& one) { return one.text == text; });
  };
  CHECK(has("A title"));
  CHECK(has("x"));
  CHECK(has("density"));
  CHECK(document.lines.size() >= 9);  // the edges in front, and ticks
  for (const DocumentLine& line : document.lines)
    for (const PicturePoint& end : {line.from, line.to}) {
      CHECK(end.x > -1);
      CHECK(end.y < 421);
    }
  const Picture whole = seen.frame->draw_picture(*seen.session, {560, 420}, false);
  CHECK(document.picture.pixels != whole.pixels);
  CHECK(encode_document(document, true).starts_with("%PDF-"));
  const std::string svg = encode_document(document, false);
  CHECK(svg.find("<svg") != svg.npos);
  CHECK(svg.find("<image") != svg.npos);
}

TEST_CASE("factors stretch axes, and the longest edge stays 1") {
  const Box box{{-1, 0, 5}, {3, 2, 6}};
  const SceneFrame frame(box, false, {}, {1, 2, 8});
  const glm::dvec3 half = frame.half();
  CHECK(half.x == Approx(0.25));
  CHECK(half.y == Approx(0.25));
  CHECK(half.z == Approx(0.5));
  CHECK(frame.stretch(0) == Approx(1));
  CHECK(frame.stretch(2) == Approx(8));
}

TEST_CASE("the panel of pictures sets theme and decorations") {
  PanelStage stage(kTall);
  stage.click(stage.find("theme", {"light"}).middle);
  CHECK(stage.state.appearance.theme == Theme::light);
  stage.click(stage.find("decorations", {"axes"}).middle);
  CHECK_FALSE(stage.state.appearance.axes);
  stage.click(stage.find("format", {"svg"}).middle);
  CHECK(stage.state.appearance.format == PictureFormat::svg);
  stage.click(stage.find("save picture", {"as chosen (F12)"}).middle);
  CHECK(stage.actions.screenshot);
}
