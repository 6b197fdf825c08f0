#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "viewer/layers/space/camera.hpp"
#include "viewer/ui/dialogs/file_actions.hpp"

namespace skde::view::ui {

/// The user's requests in a frame.
struct PanelActions {
  bool state_changed = false;    ///< whether anything in the ViewState changed
  bool density_changed = false;  ///< whether that requires another density

  std::optional<std::string> save_transfer, load_transfer;  ///< paths of JSON files
  std::optional<std::string> save_view, load_view;          ///< paths for the whole view
  std::optional<std::size_t> start_fit;                     ///< with so many ellipsoids
  bool stop_fit = false;
  bool holds_frame = false;             ///< h is being dragged: box and axis of colours stay
  std::optional<std::string> save_fit;  ///< path for the fitted mixture
  bool screenshot = false;
  bool reset_camera = false;
  std::optional<AxisView> axis_view;
  bool slices_at_peak = false;
  FileActions files;
  bool dismiss_error = false;
  std::string complaint;  ///< about typed text; empty if there is no problem
  bool cancel = false;    ///< the running computation
};

}  // namespace skde::view::ui
