#pragma once

#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Shows the view in a window until the user closes it, and saves it for the next session. Throws
/// Error(resources) if no window can be opened; later errors appear in the window.
void run_window(const ViewOptions& options);

}  // namespace skde::view
