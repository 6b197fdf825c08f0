#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace skde::service {

/// What a client would rather have: those of RFC 7240 that mean something here.
struct Preferences {
  bool respond_async = false;
  std::optional<std::chrono::seconds> wait{};  ///< for a synchronous answer
};

/// The values of all headers Prefer, divided by commas. Of a preference that is named twice the
/// first one counts; what is none, or unknown, is passed over, as RFC 7240 wants it.
Preferences read_preferences(std::string_view header);

}  // namespace skde::service
