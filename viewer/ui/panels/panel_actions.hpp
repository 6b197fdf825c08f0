#pragma once

#include <optional>
#include <string>

#include "viewer/scene/camera.hpp"

namespace skde::view::ui {

/// What was asked for in a frame.
struct PanelActions {
  bool state_changed = false;    ///< anything of the ViewState
  bool density_changed = false;  ///< and it takes another density

  std::optional<std::string> save_transfer, load_transfer;  ///< paths of JSON files
  std::optional<std::string> save_view, load_view;          ///< the same of the whole view
  bool screenshot = false;
  bool reset_camera = false;
  std::optional<AxisView> axis_view;
  bool dismiss_error = false;
  std::string complaint;  ///< about what was typed; empty where nothing is wrong
  bool cancel = false;    ///< what goes on off the frame loop
};

}  // namespace skde::view::ui
