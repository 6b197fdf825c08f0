#pragma once

#include <future>
#include <optional>
#include <string>

#include "system/stop_watch.hpp"
#include "viewer/session/files/opened_files.hpp"
#include "viewer/session/view_session.hpp"
#include "viewer/session/view_state_file.hpp"
#include "viewer/window/view_frame.hpp"

namespace skde::view {

/// What a window does with files and with the view as a whole: opens, reloads and writes files, and
/// goes back and forth between the states of the controls. Files are written beside the drawing.
class FileCommands {
 public:
  explicit FileCommands(const ViewOptions& options);

  /// Requests and takes densities, reloads files that have changed, and tells the panels what they
  /// may offer. Call it before a frame. Returns true if there is something new to draw.
  bool update(ViewSession& session, ui::PanelLayout& layout);
  /// Does what the user asked for in a frame. Throws Error if that fails.
  void carry_out(const ui::FileActions& actions, ViewSession& session, ui::PanelLayout& layout);
  /// Records what the user has changed, unless a change is `moving` still.
  void note(const ViewSession& session, bool moving);
  /// Returns the picture to write, once; empty if none was asked for.
  std::string take_picture_path();
  bool is_first_use() const { return recent_.is_first_use(); }
  /// Returns true while a file is being written.
  bool busy() const { return writing_.valid(); }

 private:
  void open(const ui::ChosenFiles& chosen, ViewSession& session, ui::PanelLayout& layout);
  void write(const ui::ChosenFiles& chosen, ViewSession& session);
  void step(const ViewState& to, ViewSession& session);
  void take_written(ViewSession& session, ui::PanelLayout& layout);

  std::optional<ViewState> last_look_;
  ViewHistory history_;
  FileWatch watch_;
  StopWatch clock_;  ///< goes on while no frame is drawn
  RecentFiles recent_;
  std::string picture_path_;
  std::future<std::string> writing_;  ///< what was written, or the Error
};

}  // namespace skde::view
