#pragma once

#include <string>
#include <string_view>

namespace skde::cli {

/// Returns `text` as it is safe to show on one line of a terminal. Control characters, which could
/// move the cursor or change colours, and bytes that are not UTF-8 become \n, \t or \x1b. Messages
/// contain paths and values from others.
std::string printable(std::string_view text);

/// Returns the same, with its middle left out if it is too long to read.
std::string printable_line(std::string_view text);

/// Writes to standard error as much as possible. If nobody can read a message, because standard
/// error is closed or full, that is not worth a failure.
void tell(std::string_view text) noexcept;

}  // namespace skde::cli
