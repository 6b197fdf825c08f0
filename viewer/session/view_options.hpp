#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>

#include "estimate/stream/followed_stream.hpp"
#include "viewer/session/view_state.hpp"

namespace skde::view {

/// What the command line of skde-view asks for.
struct ViewOptions {
  ViewState state;        ///< defaults, then the recent view or --state, then the flags
  std::string help_page;  ///< to be printed instead of all else, where not empty
  bool version = false;   ///< print the version instead of all else
  std::string complaint;  ///< why the recent view is not used; empty where nothing is wrong

  std::optional<WindowSpec> window;  ///< standard input is a stream that is followed

  bool sample_given = false, slice_given = false;  ///< by flags, so that they must exist

  std::array<int, 2> size{1280, 800};  ///< pixels of a picture, screen coordinates of a window
  double scale = 0;                    ///< of letters and lines; 0: the display's, or 1 without one
  std::string screenshot;              ///< PNG to write without a window; may be empty
  std::string turntable_pattern;       ///< as frame_pattern.hpp has it; empty: no turntable
  int turntable_frames = 0;            ///< over a whole turn
  std::string reference;               ///< PNG that the screenshot is compared with; may be empty
  double threshold = 1;                ///< largest mean difference of a channel, of 255
  int benchmark_frames = 0;            ///< frames to time, as JSON on standard output
  bool panels = false;                 ///< the side window on pictures, too
  bool interop = true;                 ///< a density may go to OpenGL without touching the host
  bool debug_gl = false;  ///< the driver looks for errors, which are printed at the end

  /// No window opens.
  bool headless() const {
    return !screenshot.empty() || turntable_frames > 0 || benchmark_frames > 0;
  }
};

/// Parses the arguments behind the program's name. `recent` is the view of the last session: all of
/// it is taken where a window opens and neither files nor --state are given, and how it looks (but
/// for axis and camera, which belong to its cloud) where files are.
/// Throws Error(usage) where a flag is unknown, would be ignored or contradicts another,
/// Error(input) where a file that flags name cannot be used, Error(output) where a picture cannot
/// be put where it should go, and Error(resources) where the engine cannot run here.
ViewOptions parse_view_options(std::span<const std::string> arguments,
                               const std::optional<ViewState>& recent = {});

}  // namespace skde::view
