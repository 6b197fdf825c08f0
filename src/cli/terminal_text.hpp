#pragma once

#include <string>
#include <string_view>

namespace skde::cli {

/// `text` as a terminal may be shown it, on one line: control characters, which could move the
/// cursor or change colours, and bytes that are not UTF-8 as \n, \t or \x1b. Paths and values of
/// others stand in messages.
std::string printable(std::string_view text);

/// The same, with its middle left out where it is too long to be read.
std::string printable_line(std::string_view text);

/// Writes to standard error what can be written. A message that nobody reads, as on a closed or
/// full standard error, is not worth a failure.
void tell(std::string_view text) noexcept;

}  // namespace skde::cli
