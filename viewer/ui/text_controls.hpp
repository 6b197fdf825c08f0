#pragma once

#include <span>
#include <string>

#include "viewer/session/view_state.hpp"
#include "viewer/ui/panels/panel_actions.hpp"

namespace skde::view::ui {

/// A field for what a flag says in letters or numbers. It counts once Return is pressed or another
/// place is clicked.
struct TextControl {
  const char* name;
  const char* hint;  ///< what an empty field means
  const char* explanation;
  /// Where it would have an effect.
  bool (*is_shown)(const ViewState&);
  const char* field = nullptr;         ///< of the table of fields of a density; null: what follows
  void (*then)(ViewState&) = nullptr;  ///< what another value of the field changes besides
  std::string (*text)(const ViewState&) = nullptr;
  /// Throws Error where the text cannot be used; the state is as before then.
  void (*take)(ViewState&, const std::string&) = nullptr;
};

/// Of the bandwidth, the grid and the machine, and of how files are read and what box they fill.
std::span<const TextControl> bandwidth_controls();
std::span<const TextControl> grid_controls();
std::span<const TextControl> machine_controls();
std::span<const TextControl> file_controls();

/// A row for each of those shown. What cannot be used leaves the state as it is, and is the
/// complaint.
void draw_text_controls(std::span<const TextControl> controls, ViewState& state,
                        PanelActions& actions);

}  // namespace skde::view::ui
