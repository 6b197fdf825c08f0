#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace skde::io {

/// An instant as it was written.
struct DateTime {
  std::int64_t seconds = 0;  ///< since 1970-01-01T00:00:00Z, leap seconds not counted
  std::int64_t nanoseconds = 0;
  bool has_more = false;  ///< digits other than 0 after those of nanoseconds
  bool is_whole = false;  ///< seconds and zone are stated, as RFC 3339 requires
  /// Returns the seconds with their fraction.
  double value() const {
    return static_cast<double>(seconds) + static_cast<double>(nanoseconds) * 1e-9;
  }
};

/// Returns true for a text that begins with YYYY-MM-DD.
bool begins_as_date(std::string_view text);

/// Takes a date of ISO 8601 from the front of a text, and a clock time behind 'T' or a blank if
/// there is one: 2020-01-31, 2020-01-31T23:59, 2020-01-31 23:59:30.5+01:00. Without a zone, it is
/// UTC. Returns nothing, and takes nothing, if there is no such date.
std::optional<DateTime> take_date_time(std::string_view& text);

}  // namespace skde::io
