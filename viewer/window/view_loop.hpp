#pragma once

#include "viewer/session/view_options.hpp"

namespace skde::view {

/// Shows the view in a window until the user closes it, and keeps it for the next time. Throws
/// Error(resources) where no window can be opened; later errors appear in the window.
void run_window(const ViewOptions& options);

}  // namespace skde::view
