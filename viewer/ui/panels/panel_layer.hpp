#pragma once

#include <glm/glm.hpp>

namespace skde::view {

class Window;

namespace ui {

/// Dear ImGui over the current context: with a window it takes its input, without one it draws
/// panels into pictures. There is one at a time.
class PanelLayer {
 public:
  /// `window` may be null. `scale` is 1 for 96 dots an inch; letters and margins grow with it.
  PanelLayer(Window* window, float scale);
  ~PanelLayer();
  PanelLayer(const PanelLayer&) = delete;
  PanelLayer& operator=(const PanelLayer&) = delete;

  /// Begins a frame of that many pixels; panels may be declared from here on.
  void begin(glm::ivec2 size);
  /// Draws the panels over what the bound framebuffer holds.
  void end();
  /// True where the mouse or the keyboard is a panel's, so that the views must not move.

 private:
  Window* window_;
};

}  // namespace ui
}  // namespace skde::view
