#include "service/http/list_query.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "service/answer/http_problem.hpp"
#include "service/http/service_routes.hpp"

namespace skde::service {
namespace {

constexpr std::uint64_t kUsualPage = 100, kLargestPage = 10000;

/// Escapes all characters of a query value that are not unreserved (RFC 3986).
std::string escaped_value(std::string_view text) {
  constexpr std::string_view kUnreserved =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
  std::string result;
  for (const char c : text)
    if (kUnreserved.find(c) != kUnreserved.npos)
      result += c;
    else
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return result;
}

}  // namespace

void refuse_query(std::string_view name, const std::string& problem,
                  const std::string& suggestion) {
  throw Problem(400, "usage", problem, {std::string(name), suggestion});
}

void require_query_names(const Request& request, std::initializer_list<std::string_view> names) {
  for (const auto& [name, value] : request.query)
    if (std::ranges::find(names, name) == names.end())
      refuse_query(name.substr(0, 64), fmt::format("unknown parameter '{}'", name.substr(0, 64)),
                   fmt::format("use {}", fmt::join(names, ", ")));
}

std::string_view query_text(const Request& request, std::string_view name) {
  const auto found = request.query.find(name);
  return found == request.query.end() ? std::string_view() : std::string_view(found->second);
}

std::size_t page_limit(const Request& request) {
  const std::uint64_t limit = whole_query(request, "limit", kUsualPage);
  if (limit < 1 || limit > kLargestPage)
    refuse_query("limit", fmt::format("'limit' must be from 1 to {}", kLargestPage));
  return static_cast<std::size_t>(limit);
}

std::vector<std::string> query_list(const Request& request, std::string_view name) {
  std::vector<std::string> parts;
  const auto found = request.query.find(name);
  if (found == request.query.end()) return parts;
  const std::string& text = found->second;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    if (parts.back().empty()) refuse_query(name, fmt::format("'{}' must not be empty", name));
    begin = end + 1;
  }
  return parts;
}

nlohmann::ordered_json next_link(const Request& request, std::string_view cursor) {
  std::string query;
  for (const auto& [name, value] : request.query)
    if (name != "cursor") query += fmt::format("{}={}&", escaped_value(name), escaped_value(value));
  query += "cursor=" + escaped_value(cursor);
  return {{"href", fmt::format("/{}?{}", request.segment(0), query)},
          {"rel", "next"},
          {"type", "application/json"}};
}

}  // namespace skde::service
