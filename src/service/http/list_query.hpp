#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "service/http/http_message.hpp"

namespace skde::service {

// What the query of a list has: OGC API - Processes 1.0.

/// Throws Problem (400) where the query has a name that is none of these.
void require_query_names(const Request& request, std::initializer_list<std::string_view> names);
/// `limit`: 1 to 10000, 100 unless said otherwise. Throws Problem (400).
std::size_t page_limit(const Request& request);
/// The parts of a value that commas divide; none where the query lacks the name. Throws Problem
/// (400) where one is empty.
std::vector<std::string> query_list(const Request& request, std::string_view name);
/// Empty where the query lacks the name.
std::string_view query_text(const Request& request, std::string_view name);
/// The link to the next page, with the same query but for its `cursor`.
nlohmann::ordered_json next_link(const Request& request, std::string_view cursor);
/// Problem (400) of a value in a query.
[[noreturn]] void refuse_query(std::string_view name, const std::string& problem,
                               const std::string& suggestion = {});

}  // namespace skde::service
