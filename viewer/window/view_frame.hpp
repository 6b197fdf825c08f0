#pragma once

#include <glm/glm.hpp>
#include <optional>
#include <span>
#include <string>

#include "pictures/layered_document.hpp"
#include "viewer/gl/objects.hpp"
#include "viewer/gl/shader_program.hpp"
#include "viewer/layers/space/camera.hpp"
#include "viewer/layers/space/inks.hpp"
#include "viewer/session/view_session.hpp"
#include "viewer/ui/panels/panels.hpp"
#include "viewer/window/panel_layer.hpp"
#include "viewer/window/view_controls.hpp"

namespace skde::view {

/// How texts are written over the views.
struct TextSettings {
  float scale = 1;  ///< of the display
  Inks inks = kDarkInks;
  std::string caption;   ///< in the corner of the volume, besides the window of time
  bool panels = false;   ///< whether panels are shown, which tell the scores of bandwidths
  bool listens = false;  ///< whether the frame takes input, so that the probe reads
};

/// Draws the title above the views, and returns what it leaves of a region.
PixelRegion draw_title(const std::string& title, PixelRegion region, float scale);
/// Draws what stands over the views in a region: texts, bars, pins, and what the probe reads under
/// the mouse. Before the first density, says what is missing where.
void draw_texts(ViewSession& session, const ui::PanelFacts& facts, const PixelRegion& region,
                const TextSettings& settings);

namespace ui {
class TextRecord;
}

/// Composes views and panels in one picture, for a window as well as for files.
class ViewFrame {
 public:
  /// `window` may be null. `scale` is that of the display.
  ViewFrame(Window* window, float scale);

  /// Draws one frame of `size` pixels, and returns what the user requests. `controls` processes the
  /// input if it is not null. Without `panels`, the views fill the picture and keep their own
  /// texts.
  ui::PanelActions draw(ViewSession& session, glm::ivec2 size, ViewControls* controls, bool panels);
  /// Draws the views for a file, and returns the picture. A transparent ground is the difference of
  /// the pictures on black and on white.
  Picture draw_picture(ViewSession& session, glm::ivec2 size, bool panels);
  /// Draws the views for a file of shapes: front lines and texts lie over the picture.
  LayeredDocument draw_document(ViewSession& session, glm::ivec2 size);
  /// Returns the last frame.
  const gl::Framebuffer& picture() const { return *picture_; }
  /// Returns what the panels show of the session, and the time of the newest finished frame that
  /// drew the views.
  ui::PanelFacts facts(ViewSession& session) const;
  ui::PanelLayout& layout() { return layout_; }
  float scale() const { return texts_.scale; }
  /// Sets what stands in the corner of the volume, besides the window of time.
  void set_caption(std::string caption) { texts_.caption = std::move(caption); }
  /// Returns the places of the views on the last frame, and how it shows the volume.
  ViewParts parts(const ViewSession& session) const {
    return view_parts(session.state, region_, texts_.scale);
  }
  ScenePart volume(const ViewSession& session) const {
    return session.scene.view.part(session.state.camera, parts(session).volume, texts_.scale);
  }
  /// Makes the next frame draw the views even if nothing has changed.
  void invalidate() { drawn_.reset(); }

 private:
  /// What the views' picture depends on, besides the session's density.
  struct Drawn {
    ViewState state;
    float full_share = 0;
    int compared = 0;  ///< version of the comparison
    bool moving = false;
    glm::ivec2 size{0}, corner{0};
    glm::vec3 ground{0};
    bool rear_only = false;
    friend bool operator==(const Drawn&, const Drawn&) = default;
  };
  /// Returns false if the views are unchanged.
  bool draw_views(ViewSession& session, const PixelRegion& region, bool moving);
  void ease_full_slices(ViewSession& session) const;

  TextSettings texts_;
  ui::TextRecord* record_ = nullptr;  ///< keeps texts while a document is drawn
  std::optional<glm::vec3> ground_;   ///< instead of the theme's
  bool windowed_;
  ui::PanelLayer layer_;
  ui::PanelLayout layout_;
  gl::DeviceTimer timer_;
  gl::PictureCopies copies_;
  std::optional<gl::Framebuffer> views_, picture_;
  std::optional<Drawn> drawn_;
  PixelRegion region_;  ///< of the views in the last frame
};

/// Writes the views, `size` pixels without panels, as .svg or .pdf: the method alone as shapes on
/// white, else axes and letters over the picture of the volume. The file appears whole or not at
/// all. Throws Error(output) if it cannot be written, Error(input) if there is no sample whose
/// method could be drawn, Error(resources) or Error(unsupported) in builds without cairo.
void write_document(ViewFrame& frame, ViewSession& session, glm::ivec2 size,
                    const std::string& path);

}  // namespace skde::view
