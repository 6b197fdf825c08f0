#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "viewer/method/slice_view.hpp"

namespace skde::view::ui {

/// Where the panels are, and what they remember between frames that is no part of the view.
struct PanelLayout {
  float scale = 1;    ///< of the display, as PanelLayer has it
  bool shown = true;  ///< the side window, at the left
  bool help = false;  ///< the table of keys
  float width = 360;  ///< of the side window, in pixels at scale 1

  /// What the panels leave to the views, in pixels; draw_panels() sets it.
  PixelRegion views;

  std::string transfer_path = "transfer.json", view_path = "view.json";
  std::optional<std::size_t> grabbed_point;  ///< control point in the mouse's hold
};

}  // namespace skde::view::ui
