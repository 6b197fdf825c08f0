#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

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

}  // namespace skde::view
