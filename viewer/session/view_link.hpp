#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

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

  /// Takes what another window has changed, and tells the others what this one has. Returns whether
  /// the state has changed. Throws Error(output) if the file cannot be written.
  bool exchange(const ViewScene& scene, ViewState& state);

 private:
  /// Where the scene of a window is in the world: its middle, units, and the radius in these.
  struct Stage {
    glm::dvec3 middle{0}, unit{1};
    double radius = 1;
    friend bool operator==(const Stage&, const Stage&) = default;
  };
  static Camera camera_in(const Stage& stage, const Camera& camera, const Stage& other);
  bool take(const ViewScene& scene, ViewState& state) const;
  void write(const ViewState& shared) const;

  std::string file_;
  std::uint64_t window_;  ///< number of this one
  int folder_ = -1;       ///< locked by each window; a window that crashes leaves no lock
  int changes_ = -1, watched_ = -1;
  std::atomic<bool> changed_{true}, ends_{false};
  std::optional<ViewState> shared_;  ///< as it was last taken or told
  std::optional<Stage> stage_;       ///< of this window then
  std::thread watcher_;
};

/// Opens a further window for each list of arguments.
void open_windows(const std::vector<std::vector<std::string>>& lists);

}  // namespace skde::view
