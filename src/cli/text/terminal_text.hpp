#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/space/space.hpp"

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

/// Returns "--memory-limit" for memory_limit.
std::string flag_of(std::string_view parameter);
/// Returns a text with its `parameters` as flags: "use smaller --dims".
std::string with_flags(std::string_view text);

/// Returns "1,234,567".
std::string format_count(std::uint64_t count);
/// Returns at most six significant digits, without trailing zeros: "0.928318", "1.2e-05".
std::string format_value(double value);
/// Returns a coordinate with the digits that matter in a box of this extent, 5 after its leading
/// digit. 4500000.25 in a box of 100 m thus keeps its decimals: "4500000.25".
std::string format_coordinate(double value, double extent);
/// Returns "812 us", "12.3 ms", "1.23 s", "2 min 05 s", "3 h 07 min".
std::string format_duration(double seconds);
/// Returns a quantity per second with a decimal prefix: "3.2 M samples/s"; bytes have a binary one:
/// "1.50 MiB/s".
std::string format_rate(double per_second, std::string_view unit);
/// Returns a share of 1 as "99.998 %". A share below 1 is never rounded up to 100.
std::string format_share(double share);

}  // namespace skde::cli
