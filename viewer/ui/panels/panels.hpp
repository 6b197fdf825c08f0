#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "viewer/layers/method/method_picture.hpp"
#include "viewer/layers/space/camera.hpp"
#include "viewer/scene/view_state.hpp"
#include "viewer/session/view_state_file.hpp"
#include "viewer/ui/dialogs/file_dialog.hpp"
#include "viewer/ui/panels/panel_facts.hpp"
#include "viewer/work/questions.hpp"

namespace skde::view {

struct ViewField;

}  // namespace skde::view

namespace skde::view::ui {

/// The layout of the panels, and what they remember between frames that is not part of the view.
struct PanelLayout {
  float scale = 1;       ///< of the display: see PanelLayer
  bool help = false;     ///< whether the table of keys is shown
  bool opened = false;   ///< whether the side window lies over views that leave no room beside them
  bool has_room = true;  ///< whether there was room for it beside the views in the last frame
  bool takes_focus = false;  ///< whether the keyboard goes to the side window in the next frame
  bool searches = false;     ///< whether it goes to the search

  ShownTabs tabs;
  std::string search;                ///< what is looked for among the controls
  const ViewField* found = nullptr;  ///< the control that was found, framed until a click
  bool scrolls = false;              ///< whether the next frame scrolls to it

  /// The region left to the views, in pixels; set by draw_panels().
  PixelRegion views;

  FileDesk desk;

  std::string notice;       ///< told in the lower right corner, until `notice_until`
  double notice_until = 0;  ///< on the clock of Dear ImGui, in seconds

  std::string transfer_path = "transfer.json";
  std::string mixture_path = "mixture.ply";
  CategoryChoice categories;                   ///< that are compared
  bool playing = false;                        ///< the window of time moves on
  std::int64_t fitted_members = 1024;          ///< K of the next fit
  std::optional<std::size_t> grabbed_point;    ///< control point held by the mouse
  std::optional<std::size_t> grabbed_surface;  ///< nested surface held by the mouse
};

/// The user's requests in a frame, by panels and keys.
struct PanelActions {
  std::optional<std::string> save_transfer, load_transfer;  ///< paths of JSON files
  std::optional<std::size_t> start_fit;                     ///< with so many ellipsoids
  bool stop_fit = false;
  bool holds_frame = false;             ///< h is being dragged: box and axis of colours stay
  std::optional<std::string> save_fit;  ///< path for the fitted mixture
  bool screenshot = false, on_white = false, share = false;
  bool reset_camera = false;
  std::optional<AxisView> axis_view;
  bool slices_at_peak = false;
  FileActions files;
  bool dismiss_error = false;
  std::string complaint;  ///< about typed text; empty if there is no problem
  bool cancel = false;    ///< the running computation
  bool toggle_help = false, toggle_panels = false, focus_panels = false, search = false;
  bool reload_shaders = false, quit = false;
};

/// Declares all panels between PanelLayer's begin() and end(): the side window and what lies over
/// the views. Changes the state as the user requests and returns the other requests. Sets
/// layout.views to the part of the picture that no side window covers; it is never empty.
PanelActions draw_panels(ViewState& state, const PanelFacts& facts, PanelLayout& layout);

/// Returns whether the side window is shown, beside the views or over them.
bool is_side_window_shown(const Division& division, const PanelLayout& layout);
/// Shows or hides the side window.
void toggle_side_window(Division& division, PanelLayout& layout);

/// Draws the panels one below another at the left edge, with the width that the user drags; if
/// hidden, a button that shows them again. Sets layout.views to the rest.
void draw_side_window(ViewState& state, const PanelFacts& facts, PanelLayout& layout,
                      PanelActions& actions);

/// Tells for some seconds what has been done.
void show_notice(PanelLayout& layout, std::string notice);

/// The inputs and the outputs of the panels.
struct Panel {
  ViewState& state;
  const PanelFacts& facts;
  PanelLayout& layout;
  PanelActions& actions;
};

/// Draws a control of several widgets where it has an effect, with its line.
struct ControlDrawer {
  std::string_view title;  ///< of its row in the table of fields
  void (*draw)(const ViewField&, Panel&);
};

// The drawers of each topic; see their sources.

std::span<const ControlDrawer> density_drawers();
std::span<const ControlDrawer> transfer_drawers();
std::span<const ControlDrawer> look_drawers();
std::span<const ControlDrawer> question_drawers();
std::span<const ControlDrawer> method_drawers();

/// Draws the numbers of what chop and crop gain at the chosen sample and slice.
void draw_readout(const MethodReadout& readout);
/// Moves the window on while it plays and the picture keeps up; ends with the last time.
void play_time(ViewState& state, const PanelFacts& facts, PanelLayout& layout);

}  // namespace skde::view::ui
