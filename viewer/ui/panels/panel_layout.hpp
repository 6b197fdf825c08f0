#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "viewer/layers/method/method_picture.hpp"
#include "viewer/ui/dialogs/file_desk.hpp"
#include "viewer/work/compare_state.hpp"

namespace skde::view::ui {

/// The layout of the panels, and what they remember between frames that is not part of the view.
struct PanelLayout {
  float scale = 1;       ///< of the display: see PanelLayer
  bool help = false;     ///< whether the table of keys is shown
  bool opened = false;   ///< whether the side window lies over views that leave no room beside them
  bool has_room = true;  ///< whether there was room for it beside the views in the last frame
  bool takes_focus = false;  ///< whether the keyboard goes to the side window in the next frame

  /// The region left to the views, in pixels; set by draw_panels().
  PixelRegion views;

  FileDesk desk;

  std::string notice;       ///< told in the lower right corner, until `notice_until`
  double notice_until = 0;  ///< on the clock of Dear ImGui, in seconds

  std::string transfer_path = "transfer.json", view_path = "view.json";
  std::string mixture_path = "mixture.ply";
  CategoryChoice categories;                   ///< that are compared
  bool playing = false;                        ///< the window of time moves on
  std::int64_t fitted_members = 1024;          ///< K of the next fit
  std::optional<std::size_t> grabbed_point;    ///< control point held by the mouse
  std::optional<std::size_t> grabbed_surface;  ///< nested surface held by the mouse
};

}  // namespace skde::view::ui
