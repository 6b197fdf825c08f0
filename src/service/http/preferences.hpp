#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace skde::service {

/// The preferences of RFC 7240 that this service supports.
struct Preferences {
  bool respond_async = false;
  std::optional<std::chrono::seconds> wait{};  ///< for a synchronous answer
};

/// Reads the values of all Prefer headers, separated by commas. If a preference is given twice, the
/// first one counts; invalid or unknown ones are ignored, as RFC 7240 requires.
Preferences read_preferences(std::string_view header);
/// Returns whether a list such as "gzip, zstd;q=0.5" has this token, and not with the weight 0.
bool has_token(std::string_view list, std::string_view token);

}  // namespace skde::service
