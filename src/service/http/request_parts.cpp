#include "service/http/request_parts.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

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

/// Reads `preference = token [ BWS "=" BWS word ] *( OWS ";" [ OWS parameter ] )` from a list.
class PreferenceReader {
 public:
  explicit PreferenceReader(std::string_view text) : rest_(text) {}

  bool ended() const { return rest_.empty(); }

  /// Reads the next element of the list. Returns false if it is not a preference; skips it in
  /// either case.
  bool read(std::string& name, std::string& value) {
    bool fits = take_pair(name, value);
    for (skip_blanks(); fits && take(';'); skip_blanks()) {
      skip_blanks();
      std::string parameter, unused;
      const bool is_empty = rest_.empty() || rest_.front() == ';' || rest_.front() == ',';
      fits = is_empty || take_pair(parameter, unused);
    }
    if (ended() || take(',')) return fits;
    skip_to_comma();
    return false;
  }

 private:
  bool take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  void skip_blanks() {
    while (take(' ') || take('\t')) {
    }
  }

  bool take_token(std::string& token) {
    const auto ends = [](char c) {
      constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
      const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      return !is_letter && !(c >= '0' && c <= '9') && kMarks.find(c) == kMarks.npos;
    };
    const auto end = static_cast<std::size_t>(std::ranges::find_if(rest_, ends) - rest_.begin());
    token = rest_.substr(0, end);
    rest_.remove_prefix(end);
    return end > 0;
  }

  bool take_quoted(std::string& text) {
    if (!take('"')) return false;
    while (!rest_.empty()) {
      const char c = rest_.front();
      rest_.remove_prefix(1);
      if (c == '"') return true;
      const bool escapes = c == '\\' && !rest_.empty();
      text += escapes ? rest_.front() : c;
      if (escapes) rest_.remove_prefix(1);
    }
    return false;
  }

  bool take_pair(std::string& name, std::string& value) {
    value.clear();
    skip_blanks();
    if (!take_token(name)) return false;
    name = lower_case(name);
    skip_blanks();
    if (!take('=')) return true;
    skip_blanks();
    return rest_.starts_with('"') ? take_quoted(value) : take_token(value);
  }

  /// A comma in quotation marks does not separate elements.
  void skip_to_comma() {
    while (!rest_.empty() && !take(',')) {
      std::string quoted;
      if (rest_.front() == '"')
        take_quoted(quoted);
      else
        rest_.remove_prefix(1);
    }
  }

  std::string_view rest_;
};

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

Preferences read_preferences(std::string_view header) {
  Preferences found;
  bool knows_wait = false;
  PreferenceReader reader(header);
  for (std::string name, value; !reader.ended();) {
    if (!reader.read(name, value)) continue;
    if (name == "respond-async" && value.empty()) found.respond_async = true;
    if (name != "wait" || knows_wait) continue;
    knows_wait = true;
    std::uint32_t seconds = 0;
    const auto [end, problem] = std::from_chars(value.data(), value.data() + value.size(), seconds);
    if (!value.empty() && problem == std::errc{} && end == value.data() + value.size())
      found.wait = std::chrono::seconds(seconds);
  }
  return found;
}

bool has_token(std::string_view list, std::string_view token) {
  for (std::size_t end = 0; end != list.npos; list.remove_prefix(end == list.npos ? 0 : end + 1)) {
    end = list.find(',');
    const std::string one = lower_case(list.substr(0, end));
    const std::size_t weight = one.find(";"), value = one.find("q=");
    if (io::trimmed(std::string_view(one).substr(0, weight)) != token) continue;
    return value == one.npos || one.find_first_of("123456789", value) != one.npos;
  }
  return false;
}

}  // namespace skde::service
