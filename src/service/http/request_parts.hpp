#pragma once

#include <chrono>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/answer/http_message.hpp"

namespace skde::service {

// The query parameters of lists (OGC API - Processes 1.0).

/// Throws Problem (400) if the query has any other name.
void require_query_names(const Request& request, std::initializer_list<std::string_view> names);
/// Returns `limit`: 1 to 10000, by default 100. Throws Problem (400).
std::size_t page_limit(const Request& request);
/// Splits a value at its commas; returns nothing if the query lacks the name. Throws Problem (400)
/// if a part is empty.
std::vector<std::string> query_list(const Request& request, std::string_view name);
/// Returns an empty text if the query lacks the name.
std::string_view query_text(const Request& request, std::string_view name);
/// Returns the link to the next page: the same query with another `cursor`.
nlohmann::ordered_json next_link(const Request& request, std::string_view cursor);
/// Throws Problem (400) for a value of the query.
[[noreturn]] void refuse_query(std::string_view name, const std::string& problem,
                               const std::string& suggestion = {});

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
