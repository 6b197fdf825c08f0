#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/report/error.hpp"
#include "core/report/warning.hpp"
#include "viewer/scene/view_state.hpp"

namespace skde::view {

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

/// Returns an error or a warning for a window, as a single line. Parameters are named by the
/// controls that set them, or by their flag if there is no control.
std::string text_with_controls(const Error& error);
std::string text_with_controls(const Warning& warning);

/// Returns the name of the control for a parameter of a request, in quotes, with the value behind
/// it if there is one; the flag if there is no control.
std::string control_name(std::string_view parameter, std::string_view value);

}  // namespace skde::view
