#pragma once

#include <string>
#include <string_view>

#include "core/report/error.hpp"

namespace skde::view {

/// Returns an error or a warning for a window, as a single line. Parameters are named by the
/// controls that set them, or by their flag if there is no control.
std::string text_with_controls(const Error& error);
std::string text_with_controls(const Warning& warning);

/// Returns the name of the control for a parameter of a request, in quotes, with the value behind
/// it if there is one; the flag if there is no control.
std::string control_name(std::string_view parameter, std::string_view value);

}  // namespace skde::view
