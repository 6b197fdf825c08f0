#pragma once

#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Writes the screenshot, the turntable's frames or the measured times that the options request,
/// without a display. Throws what opening and computing throw, and Error(output) if a file cannot
/// be written or the picture differs from the reference.
void run_headless(const ViewOptions& options);

}  // namespace skde::view
