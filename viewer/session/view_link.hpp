#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "viewer/layers/space/scene_frame.hpp"
#include "viewer/scene/view_state.hpp"

namespace skde::view {

class ViewScene;

/// Gives all linked windows of a user one camera, in world units where their boxes meet, and one
/// scale: colours, axis and levels. The axis follows the density of the window that set it last, at
/// first that of the first one. Each window is a program of its own; they share a file that is
/// replaced whole, and sleep until it is.
class ViewLink {
 public:
  /// Joins the linked windows, or is the first one. A thread calls `wake` after the file is
  /// replaced. Throws Error(output) if the file cannot be written.
  ViewLink(const ViewState& state, const std::function<void()>& wake);
  ~ViewLink();
  ViewLink(const ViewLink&) = delete;
  ViewLink& operator=(const ViewLink&) = delete;

  /// Takes what another window has changed, else tells the others what this one has. Returns
  /// whether the state has changed. Throws Error(output) if the file cannot be written.
  bool exchange(const ViewScene& scene, ViewState& state);

 private:
  bool take(const ViewScene& scene, ViewState& state) const;
  void tell(const ViewState& shared) const;

  std::string file_;
  std::int64_t window_;             ///< number of this one
  int folder_, changes_, watched_;  ///< the folder is locked by each window; a crash ends that
  std::atomic<bool> changed_{true}, ends_{false};
  std::optional<ViewState> shared_;  ///< as it was last taken or told
  SceneFrame frame_;                 ///< of this window then
  std::thread watcher_;
};

/// Opens a further window for each list of arguments. Returns why one cannot be opened, or nothing.
std::string open_windows(const std::vector<std::vector<std::string>>& lists);

}  // namespace skde::view
