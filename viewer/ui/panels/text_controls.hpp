#pragma once

#include <span>
#include <string>

#include "viewer/scene/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"

namespace skde::view::ui {

/// A field for a flag whose value is text or numbers. The input counts once the user presses Return
/// or clicks another place.
struct TextControl {
  const char* name;
  const char* hint;  ///< what an empty field means
  const char* explanation;
  /// Returns true if the control would have an effect.
  bool (*is_shown)(const ViewState&);
  const char* field = nullptr;         ///< name among a density's fields; null: `text` and `take`
                                       ///< are used
  void (*then)(ViewState&) = nullptr;  ///< further changes when the field changes
  std::string (*text)(const ViewState&) = nullptr;
  /// Throws Error if the text cannot be used; the state then stays as before.
  void (*take)(ViewState&, const std::string&) = nullptr;
};

/// Controls of the bandwidth, the grid, the machine, and the reading of files with their box.
std::span<const TextControl> bandwidth_controls();
std::span<const TextControl> grid_controls();
std::span<const TextControl> machine_controls();
std::span<const TextControl> file_controls();

/// Draws a row for each shown control. Text that cannot be used leaves the state unchanged and is
/// reported in actions.complaint.
void draw_text_controls(std::span<const TextControl> controls, ViewState& state,
                        PanelActions& actions);

}  // namespace skde::view::ui
