#pragma once

#include <string_view>

namespace skde::cli {

/// Writes text to standard output and flushes it. Throws Error(output) where that fails, as on a
/// full disk.
void print(std::string_view text);

}  // namespace skde::cli
