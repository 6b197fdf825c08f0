#pragma once

#include <string>

#include "core/report/error.hpp"
#include "core/report/warning.hpp"

namespace skde::view {

/// Returns an error or a warning for a window, as a single line. Parameters are named by the
/// controls that set them, or by their flag if there is no control.
std::string text_with_controls(const Error& error);
std::string text_with_controls(const Warning& warning);

}  // namespace skde::view
