#pragma once

#include <string>

namespace skde::view {

/// Copies a PNG file to the clipboard with wl-copy (Wayland) or xclip (X11), and returns words that
/// say so, or what is missing.
std::string copy_to_clipboard(const std::string& png);

}  // namespace skde::view
