#include "io/text/text_fields.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

namespace skde::io {
namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\f'; }

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

char character_of(Delimiter delimiter) {
  switch (delimiter) {
    case Delimiter::comma:
      return ',';
    case Delimiter::semicolon:
      return ';';
    case Delimiter::bar:
      return '|';
    default:
      return '\t';
  }
}

/// The closing quote of the quoted text that begins at `from`, after its opening quote.
const char* closing_quote(const char* from, const char* end) {
  while (from < end) {
    if (*from != '"') {
      ++from;
    } else if (from + 1 < end && from[1] == '"') {
      from += 2;
    } else {
      return from;
    }
  }
  return end;
}

std::string_view between(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

void split_at_blanks(std::string_view line, std::size_t most, std::vector<TextField>& fields) {
  const char* at = line.data();
  const char* const end = at + line.size();
  while (fields.size() < most) {
    while (at < end && is_blank(*at)) ++at;
    if (at == end || (*at == '#' && !begins_with_missing(between(at, end)))) return;
    if (const char* const close = *at == '"' ? closing_quote(at + 1, end) : end; close < end) {
      fields.push_back({between(at + 1, close), true});
      at = close + 1;
      continue;
    }
    const char* const begin = at;
    while (at < end && !is_blank(*at)) ++at;
    fields.push_back({between(begin, at), false});
  }
}

void split_at(char separator, std::string_view line, std::size_t most,
              std::vector<TextField>& fields) {
  const char* at = line.data();
  const char* const end = at + line.size();
  while (fields.size() < most) {
    while (at < end && is_blank(*at) && *at != separator) ++at;
    const char* const begin = at;
    const char* const close = at < end && *at == '"' ? closing_quote(at + 1, end) : end;
    at = close < end ? std::find(close + 1, end, separator) : end;
    if (close < end && trimmed(between(close + 1, at)).empty()) {
      fields.push_back({between(begin + 1, close), true});
    } else {  // tables between tabs mostly have no quotes, but texts that begin with one
      at = std::find(begin, end, separator);
      fields.push_back({trimmed(between(begin, at)), false});
    }
    if (at == end) return;
    ++at;
  }
}

/// The power of ten of a number's first nonzero digit.
double power_of_ten(std::string_view text) {
  const std::size_t end = std::min(text.find_first_of("eE"), text.size());
  const std::string_view digits = text.substr(0, end);
  const auto first = static_cast<double>(digits.find_first_of("123456789"));
  const auto point = static_cast<double>(std::min(digits.find('.'), digits.size()));
  const double power = first < point ? point - first - 1 : point - first;
  if (end == text.size()) return power;
  std::string_view exponent = text.substr(end + 1);
  const bool is_negative = exponent.starts_with('-');
  if (is_negative || exponent.starts_with('+')) exponent.remove_prefix(1);
  double written = std::numeric_limits<double>::infinity();  // stays infinite if the exponent is
                                                             // out of range
  std::from_chars(exponent.data(), exponent.data() + exponent.size(), written);
  return power + (is_negative ? -written : written);
}

/// The value of a number that from_chars reports as out of range for a double: 0 or infinite.
double out_of_range(std::string_view text) {
  const double magnitude = power_of_ten(text) < 0 ? 0 : std::numeric_limits<double>::infinity();
  return text.starts_with('-') ? -magnitude : magnitude;
}

/// Parses Fortran's double precision: 1.5D+03.
bool parse_fortran(std::string_view digits, double& value) {
  constexpr std::size_t kLongest = 64;
  const std::size_t at = digits.find_first_of("dD");
  if (at == digits.npos || at == 0 || digits.size() > kLongest) return false;
  std::array<char, kLongest> text{};
  std::ranges::copy(digits, text.begin());
  text[at] = 'e';
  const std::string_view mended(text.data(), digits.size());
  const auto [stop, error] = std::from_chars(mended.data(), mended.data() + mended.size(), value);
  if (stop != mended.data() + mended.size()) return false;
  if (error == std::errc::result_out_of_range) value = out_of_range(mended);
  return error == std::errc{} || error == std::errc::result_out_of_range;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte < 0x20 || byte == 0x7f;
}

bool is_missing(std::string_view text) {
  constexpr std::array<std::string_view, 5> kSpellings{"", "na", "n/a", "#n/a", "null"};
  return text.size() <= 4 && std::ranges::find(kSpellings, lower_case(text)) != kSpellings.end();
}

}  // namespace

void split_fields(std::string_view line, Delimiter delimiter, std::size_t most,
                  std::vector<TextField>& fields) {
  fields.clear();
  if (delimiter == Delimiter::whitespace)
    split_at_blanks(line, most, fields);
  else
    split_at(character_of(delimiter), line, most, fields);
}

std::vector<std::string_view> split_words(std::string_view line) {
  std::vector<std::string_view> words;
  for (std::size_t at = 0; at < line.size();) {
    while (at < line.size() && is_blank(line[at])) ++at;
    const std::size_t begin = at;
    while (at < line.size() && !is_blank(line[at])) ++at;
    if (at > begin) words.push_back(line.substr(begin, at - begin));
  }
  return words;
}

bool begins_with_missing(std::string_view text) {
  constexpr std::string_view kWord = "#N/A";
  if (!text.starts_with(kWord)) return false;
  return text.size() == kWord.size() || is_blank(text[kWord.size()]) ||
         std::string_view(",;\n").find(text[kWord.size()]) != std::string_view::npos;
}

bool has_open_quote(std::string_view line) { return std::ranges::count(line, '"') % 2 != 0; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), lower);
  return result;
}

bool parse_number(std::string_view text, double& value) {
  std::string_view digits = text;
  if (digits.starts_with('+') && !digits.starts_with("+-")) digits.remove_prefix(1);
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc{} && stop == end) return true;
  if (error == std::errc::result_out_of_range && stop == end) {
    value = out_of_range(digits);
    return true;
  }
  if (parse_fortran(digits, value)) return true;
  if (!is_missing(text)) return false;
  value = std::numeric_limits<double>::quiet_NaN();
  return true;
}

bool has_thousands(std::string_view text) {
  text = text.substr(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
  const std::string_view whole = text.substr(0, text.find('.'));
  std::size_t comma = whole.find(',');
  if (comma == 0 || comma > 3 || !std::ranges::all_of(whole.substr(0, comma), is_digit))
    return false;
  for (; comma != whole.npos; comma = comma + 4 < whole.size() ? comma + 4 : whole.npos) {
    const std::string_view group = whole.substr(comma + 1, 3);
    const bool ends = comma + 4 >= whole.size() || whole[comma + 4] == ',';
    if (whole[comma] != ',' || group.size() != 3 || !ends || !std::ranges::all_of(group, is_digit))
      return false;
  }
  return true;
}

std::string on_one_line(std::string_view text) {
  std::string result(text);
  std::ranges::replace_if(result, is_control, ' ');
  return result;
}

std::string unquoted(const TextField& field) {
  std::string text;
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    text += field.text[i];
    if (field.quoted && field.text.substr(i, 2) == "\"\"") ++i;
  }
  return text;
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 40;
  std::string result(text.substr(0, kLongest));
  std::ranges::replace_if(result, is_control, '?');
  return fmt::format("'{}{}'", result, text.size() > kLongest ? "..." : "");
}

}  // namespace skde::io
