#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/report/error.hpp"

namespace skde::view {

struct ViewState;

/// Returns an error or a warning for a window, as a single line. Parameters are named by the
/// controls that set them, or by their flag if there is no control.
std::string text_with_controls(const Error& error);
std::string text_with_controls(const Warning& warning);

/// Returns the name of the control for a parameter of a request, in quotes, with the value behind
/// it if there is one; the flag if there is no control.
std::string control_name(std::string_view parameter, std::string_view value);

/// A change that an error or a warning suggests: a field of the density and its value as text.
struct Remedy {
  std::string field;  ///< "regularize"
  std::string value;  ///< "0.01"
  std::string label;  ///< for a button: “regularize” 0.01

  friend bool operator==(const Remedy&, const Remedy&) = default;
};

/// Returns the changes in a suggestion that can be made to this state as they are. Words in capital
/// letters stand for values that only the user knows; these are left out.
std::vector<Remedy> remedies(const ErrorAdvice& advice, const ViewState& state);
/// Returns the state with the change. Throws Error(usage) if it does not fit the state.
ViewState remedied(const ViewState& state, const Remedy& remedy);

}  // namespace skde::view
