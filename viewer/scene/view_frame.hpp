#pragma once

#include <optional>
#include <string>

#include "viewer/gl/frame_timer.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/session/view_session.hpp"
#include "viewer/ui/panels/panel_actions.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/ui/panels/panel_layer.hpp"
#include "viewer/ui/panels/panel_layout.hpp"
#include "viewer/window/view_controls.hpp"

namespace skde::view {

/// Composes what is seen, views and panels, in one picture: for a window and for files alike.
class ViewFrame {
 public:
  /// `window` may be null. `scale`: of the display.
  ViewFrame(Window* window, float scale);

  /// What the user did in a frame.
  struct Actions {
    ui::PanelActions panels;
    KeyCommands keys;
  };
  /// Draws one frame of that many pixels. `controls` takes input where it is not null. Without
  /// `panels` the views fill the picture, with the texts that belong to them.
  Actions draw(ViewSession& session, glm::ivec2 size, ViewControls* controls, bool panels);
  /// The last frame.
  const gl::Framebuffer& picture() const { return *picture_; }
  /// What the panels say of the session, and how long the newest frame took that is done and drew
  /// the views.
  ui::PanelFacts facts(ViewSession& session) const;
  ui::PanelLayout& layout() { return layout_; }
  /// Draws the views anew although nothing has changed.
  void invalidate() { drawn_.reset(); }

 private:
  /// What the views' picture depends on, besides the session's density.
  struct Drawn {
    ViewState state;
    Camera method_camera;
    float full_share = 0;
    bool moving = false;
    glm::ivec2 size{0}, corner{0};
    friend bool operator==(const Drawn&, const Drawn&) = default;
  };
  /// False where the views are as they were.
  bool draw_views(ViewSession& session, const PixelRegion& region, bool moving);
  void draw_texts(ViewSession& session, const ui::PanelFacts& facts,
                  const PixelRegion& region) const;
  void ease_full_slices(ViewSession& session) const;

  float scale_;
  bool windowed_;
  std::string renderer_;
  ui::PanelLayer layer_;
  ui::PanelLayout layout_;
  gl::FrameTimer timer_;
  std::optional<gl::Framebuffer> views_, picture_;
  std::optional<Drawn> drawn_;
};

}  // namespace skde::view
