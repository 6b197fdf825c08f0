#include "service/http/preferences.hpp"

#include <algorithm>
#include <charconv>
#include <string>

#include "service/answer/http_message.hpp"

namespace skde::service {
namespace {

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
