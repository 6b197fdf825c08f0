#pragma once

#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Writes the screenshot, the turntable's frames or the measured times that the options ask for,
/// without a display. Throws what opening and computing throw, Error(output) where a file cannot be
/// written or the picture is not like the reference.
void run_headless(const ViewOptions& options);

}  // namespace skde::view
