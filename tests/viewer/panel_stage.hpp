#pragma once

#include <imgui.h>

#include <functional>
#include <string>
#include <vector>

#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/gl_fixture.hpp"
#include "viewer/ui/panels/panels.hpp"
#include "viewer/window/panel_layer.hpp"

namespace skde::test {

/// A window that shows each tab at once, without scrolling.
inline constexpr glm::ivec2 kTall{900, 1500};

/// Returns the facts of a session with a cloud of a million samples. The histogram is that of a
/// bell-shaped density with this peak.
view::ui::PanelFacts typical_facts(double peak = 0.031);

/// Counts the pixels of a rectangle that differ from the one in its upper left corner.
int drawn_pixels(const Picture& picture, glm::ivec2 from, glm::ivec2 to);

/// The panels without a window, operated by a simulated mouse and keyboard.
class PanelStage {
 public:
  explicit PanelStage(glm::ivec2 size, float scale = 1);

  view::ViewState state;
  view::ui::PanelFacts facts = typical_facts();
  view::ui::PanelLayout layout;
  /// All actions requested since forget(), and what has changed in the state.
  struct Actions : view::ui::PanelActions {
    bool state_changed = false, density_changed = false;
  } actions;
  std::function<void()> over_views;  ///< draws over the views in each frame

  /// Runs frames without drawing them: drawing in software is slow, and most tests examine no
  /// pixels.
  void frames(int count = 1);
  void forget() { actions = {}; }
  /// Draws the last frame and returns the picture.
  Picture picture();

  /// Centre and extent of a widget of a control ("bandwidth", "##h"), in its tab, found by moving
  /// the mouse over the side window. The test fails if there is none.
  struct Place {
    ImVec2 middle, size;
  };
  Place find(const std::string& control, const std::vector<std::string>& path);
  /// Finds a widget in the window of this name.
  Place find_in(const std::string& window, const std::vector<std::string>& path);

  void move(ImVec2 to);
  void press(ImGuiMouseButton button = ImGuiMouseButton_Left);
  void release(ImGuiMouseButton button = ImGuiMouseButton_Left);
  void click(ImVec2 at, ImGuiMouseButton button = ImGuiMouseButton_Left);
  void double_click(ImVec2 at);
  void drag(ImVec2 from, ImVec2 to);
  /// Clicks on a slider with Ctrl, types a number, and clicks beside the slider.
  void type_number(ImVec2 slider, const char* number);
  /// Clicks on a slider with Ctrl; types letters; presses and releases a key.
  void begin_typing(ImVec2 slider);
  void type(const char* letters);
  void press_key(int code);
  /// Opens a menu.
  void open_menu(const Place& combo);
  /// Opens a menu and clicks on one of its lines, counted from 0.
  void choose_line(const Place& combo, int line);

 private:
  void draw();
  /// Returns whether a mouse at this pixel is over the widget.
  bool is_at(unsigned id, ImVec2 pixel);
  Place extent(unsigned id, ImVec2 inside);
  Place sweep(unsigned id, ImVec2 from, ImVec2 to);

  GlFixture context_;
  view::ui::PanelLayer layer_;
  view::gl::Framebuffer target_;
};

}  // namespace skde::test
