#pragma once

#include <string>

#include "core/report/error.hpp"
#include "core/report/warning.hpp"

namespace skde::view {

/// An error or a warning as a window tells it: parameters are called by the names of the controls
/// that set them, or by the flag where there is no control. A single line.
std::string text_with_controls(const Error& error);
std::string text_with_controls(const Warning& warning);

}  // namespace skde::view
