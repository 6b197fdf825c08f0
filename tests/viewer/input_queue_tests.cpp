#include "viewer/window/window.hpp"

#include <GLFW/glfw3.h>

#include "viewer/panel_stage.hpp"
#include "viewer/ui/imgui_input.hpp"

namespace {

using namespace skde;
using namespace skde::test;
using namespace skde::view;
using Kind = InputEvent::Kind;

/// Panels with such slow frames that all input events arrive between two of them.
class SlowStage {
 public:
  PanelStage panels{{900, 2200}};
  InputQueue input;

  void button(bool pressed, ImVec2 at) {
    move(at);
    input.add({.kind = Kind::button, .code = 0, .pressed = pressed});
  }
  void move(ImVec2 to) { input.add({.kind = Kind::move, .place = {to.x, to.y}}); }
  void key(int code, bool pressed) {
    input.add({.kind = Kind::key, .code = code, .pressed = pressed});
  }
  void letters(const char* text) {
    for (; *text != 0; ++text) input.add({.kind = Kind::letter, .code = *text});
  }
  void frames() {
    do {
      input.feed(ImGui::GetIO());
      panels.frames(1);
    } while (!input.empty());
    input.feed(ImGui::GetIO());
    panels.frames(1);
  }
};

double h_of(const ViewState& state) {
  const double* h = std::get_if<double>(&state.density.bandwidth.bandwidth);
  REQUIRE(h != nullptr);
  return *h;
}

}  // namespace

TEST_CASE("A click within one frame is seen") {
  SlowStage stage;
  const ImVec2 at = stage.panels.find("camera", {"top"}).middle;
  stage.panels.forget();
  stage.button(true, at);
  stage.button(false, at);
  stage.move({5, 5});
  stage.frames();
  CHECK(stage.panels.actions.axis_view == AxisView::top);
}

TEST_CASE("A slider that is dragged within one frame stays where it was let go") {
  SlowStage stage;
  const auto [middle, size] = stage.panels.find("bandwidth", {"##h"});
  const ImVec2 end{middle.x + 0.3F * size.x, middle.y};
  stage.panels.drag(middle, end);
  const double wanted = h_of(stage.panels.state);
  stage.panels.drag(end, middle);
  CHECK(h_of(stage.panels.state) < wanted / 2);

  stage.button(true, middle);
  for (int step = 1; step <= 5; ++step)
    stage.move({middle.x + 0.06F * static_cast<float>(step) * size.x, middle.y});
  stage.button(false, end);
  stage.move({middle.x - 0.4F * size.x, middle.y});
  stage.frames();
  CHECK(h_of(stage.panels.state) == Approx(wanted).epsilon(0.01));
}

TEST_CASE("Keys within one frame keep their order") {
  SlowStage stage;
  const ImVec2 at = stage.panels.find("cells", {"##dims"}).middle;
  const auto press = [&](int code) {
    stage.key(code, true);
    stage.key(code, false);
  };
  stage.move(at);
  stage.key(GLFW_KEY_LEFT_CONTROL, true);
  stage.button(true, at);
  stage.button(false, at);
  stage.key(GLFW_KEY_LEFT_CONTROL, false);
  stage.frames();
  stage.letters("12");
  press(GLFW_KEY_BACKSPACE);
  stage.letters("05");
  press(GLFW_KEY_ENTER);
  stage.letters("7");  // after Enter, so not part of the number
  stage.frames();
  CHECK((*stage.panels.state.density.grid.dims)[0] == 105);
}

TEST_CASE("Presses and releases of a key within one frame are as many as they were") {
  SlowStage stage;
  int presses = 0;
  stage.panels.over_views = [&] { presses += ui::key_pressed(GLFW_KEY_F12) ? 1 : 0; };
  for (int i = 0; i < 3; ++i) {
    stage.key(GLFW_KEY_F12, true);
    stage.key(GLFW_KEY_F12, false);
  }
  stage.frames();
  CHECK(presses == 3);
}

TEST_CASE("A key counts with the modifier that was held, even if that was let go first") {
  SlowStage stage;
  bool saved = false, plain = false;
  stage.panels.over_views = [&] {
    if (!ui::key_pressed(GLFW_KEY_S)) return;
    (ImGui::GetIO().KeyCtrl ? saved : plain) = true;
  };
  stage.key(GLFW_KEY_LEFT_CONTROL, true);
  stage.key(GLFW_KEY_S, true);
  stage.key(GLFW_KEY_LEFT_CONTROL, false);
  stage.key(GLFW_KEY_S, false);
  stage.frames();
  CHECK(saved);
  CHECK_FALSE(plain);
  saved = false;
  stage.key(GLFW_KEY_S, true);
  stage.key(GLFW_KEY_LEFT_CONTROL, true);
  stage.key(GLFW_KEY_S, false);
  stage.key(GLFW_KEY_LEFT_CONTROL, false);
  stage.frames();
  CHECK(plain);
  CHECK_FALSE(saved);
}

TEST_CASE("An outline drawn with Ctrl within one frame keeps each place") {
  SlowStage stage;
  const std::vector<std::pair<float, float>> places{{500, 300}, {560, 310}, {540, 380}, {510, 330}};
  std::vector<std::pair<float, float>> seen;
  stage.panels.over_views = [&] {
    const ImGuiIO& io = ImGui::GetIO();
    const std::pair place(io.MousePos.x, io.MousePos.y);
    if (io.MouseDown[0] && (seen.empty() || seen.back() != place)) seen.push_back(place);
  };
  stage.key(GLFW_KEY_LEFT_CONTROL, true);
  stage.button(true, {places[0].first, places[0].second});
  for (const auto& [x, y] : places) stage.move({x, y});
  stage.button(false, {places.back().first, places.back().second});
  stage.key(GLFW_KEY_LEFT_CONTROL, false);
  stage.frames();
  CHECK(seen == places);
}
