#pragma once

#include <glm/glm.hpp>

#include "viewer/scene/view_state.hpp"

namespace skde::view {

class Window;

namespace ui {

/// Dear ImGui over the current context. With a window it takes the window's input; without one it
/// draws panels into pictures. Only one may exist at a time.
class PanelLayer {
 public:
  /// `window` may be null. `scale` is 1 for 96 dots per inch; letters and margins grow with it.
  PanelLayer(Window* window, float scale);
  ~PanelLayer();
  PanelLayer(const PanelLayer&) = delete;
  PanelLayer& operator=(const PanelLayer&) = delete;

  /// Sets the colours of the next frames.
  void set_theme(Theme theme);
  /// Begins a frame of `size` pixels; panels may be declared from here on. It takes the input of
  /// the window if it `listens`; a picture that is drawn meanwhile does not.
  void begin(glm::ivec2 size, bool listens = false);
  /// Draws the panels over the contents of the bound framebuffer.
  void end();
  /// Returns true if a panel uses the mouse or the keyboard, so that the views must not move.

 private:
  Window* window_;
  float scale_;
  Theme theme_ = Theme::dark;
};

}  // namespace ui
}  // namespace skde::view
