#pragma once

#include <cstdint>
#include <string>

#include "core/space.hpp"

namespace skde::cli {

/// "1,234,567".
std::string format_count(std::uint64_t count);
/// Six significant digits at most, without trailing zeros: "0.928318", "1.2e-05".
std::string format_value(double value);
/// A coordinate with the digits that matter in a box of this extent (5 beyond its leading one), so
/// that 4500000.25 in a box of 100 m keeps its decimals: "4500000.25".
std::string format_coordinate(double value, double extent);
/// "812 us", "12.3 ms", "1.23 s", "2 min 05 s", "3 h 07 min".
std::string format_duration(double seconds);
/// A quantity a second with a decimal prefix: "3.2 M samples/s"; bytes with a binary one: "1.50
/// MiB/s".
std::string format_rate(double per_second, std::string_view unit);
/// "99.998 %": a share of 1, never rounded up to 100 where it is below.
std::string format_share(double share);

}  // namespace skde::cli
