#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "viewer/session/view_state.hpp"

namespace skde::view {

/// The state as a file has it; all keys are there.
nlohmann::ordered_json view_state_json(const ViewState& state);
/// The state of a file's JSON: missing keys take their defaults; unknown ones and wrong values are
/// Error(input) that names `file` and the key, and so is a version that is not this one.
ViewState view_state_from(const nlohmann::ordered_json& json, const std::string& file);

/// Error(input) as view_state_from().
ViewState load_view_state(const std::string& path);
/// Whole or not at all; Error(output) where it cannot be written.
void save_view_state(const std::string& path, const ViewState& state);

/// $XDG_STATE_HOME/skde/view.json, or that in ~/.local/state; empty where neither is known.
std::string recent_state_path();

/// The state of the last session, which is a comfort and never stops the program.
struct RecentState {
  std::optional<ViewState> state;
  std::string complaint;  ///< why the file that is there is ignored; empty where nothing is wrong
};
RecentState load_recent_state();
/// Keeps it for the next session; a file that cannot be read stays beside it. Returns why that
/// failed, or nothing.
std::string save_recent_state(const ViewState& state);

}  // namespace skde::view
