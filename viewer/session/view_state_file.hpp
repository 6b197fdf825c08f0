#pragma once

#include <cstddef>
#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "core/report/words.hpp"
#include "viewer/scene/view_state.hpp"

namespace skde::view {

/// Returns the state as the JSON of a file, with all keys.
nlohmann::ordered_json view_state_json(const ViewState& state);
/// Returns the state of a file's JSON; missing keys take their defaults. Throws Error(input) that
/// names `file` and the key for unknown keys, wrong values and any other version.
ViewState view_state_from(const nlohmann::ordered_json& json, const std::string& file);

/// Loads a state. Throws Error(input) as view_state_from() does.
ViewState load_view_state(const std::string& path);
/// Writes the file completely or not at all. Throws Error(output) if it cannot be written.
void save_view_state(const std::string& path, const ViewState& state);

/// Returns $XDG_STATE_HOME/skde/view.json, or else that in ~/.local/state; empty without either.
std::string recent_state_path();

/// The state of the last session. It is a convenience: errors never stop the program.
struct RecentState {
  std::optional<ViewState> state;
  std::string complaint;  ///< why the existing file is ignored; empty if there is no problem
};
RecentState load_recent_state();
/// Saves the state for the next session; an existing file that cannot be read is kept beside it.
/// Returns the reason of a failure, or an empty string.
std::string save_recent_state(const ViewState& state);

/// The states that the controls had, to go back and forth between. A change is recorded once the
/// user has let go of the control, so that a drag is one step.
class ViewHistory {
 public:
  static constexpr std::size_t kMost = 200;  ///< steps that are kept

  /// Records the state if it differs from the last one recorded and the user has `settled`. What
  /// was undone before can then no longer be redone.
  void note(const ViewState& state, bool settled);
  /// Takes a change that the user did not make, such as an axis that follows a new density, from
  /// `before` to `after`: no step is recorded.
  void adapt(const ViewState& before, const ViewState& after);
  /// Forgets all steps, as the files that they show cannot be opened again.
  void clear() { states_.clear(), at_ = 0; }

  bool can_undo() const { return at_ > 0; }
  bool can_redo() const { return at_ + 1 < states_.size(); }
  /// Returns the state one step back or forth. Require can_undo() and can_redo().
  const ViewState& undo() { return states_[--at_]; }
  const ViewState& redo() { return states_[++at_]; }

 private:
  std::deque<ViewState> states_;
  std::size_t at_ = 0;  ///< the present state
};

/// The tabs of the panels.
enum class Tab { none, density, look, questions, picture, data, method, numbers };

inline constexpr Words<Tab, 7> kTabs{{{"Density", Tab::density},
                                      {"Look", Tab::look},
                                      {"Questions", Tab::questions},
                                      {"Picture", Tab::picture},
                                      {"Data", Tab::data},
                                      {"Method", Tab::method},
                                      {"Numbers", Tab::numbers}}};

/// Which tab is shown, and which of them show what is behind "more".
struct ShownTabs {
  Tab chosen = Tab::density;
  std::set<Tab> more{};
};

/// Return and keep those of the last session, beside the recent view. They are a convenience:
/// errors count as no file.
ShownTabs load_shown_tabs();
void save_shown_tabs(const ShownTabs& tabs);

}  // namespace skde::view
