#pragma once

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace skde {

/// The words for the values of an enumeration, as used in flags and files.
template <class Value, std::size_t Count>
using Words = std::array<std::pair<std::string_view, Value>, Count>;

/// Returns the first word of a value; empty if it has none.
template <class Value, std::size_t Count>
constexpr std::string_view word_of(const Words<Value, Count>& words, Value value) {
  for (const auto& [word, meaning] : words)
    if (meaning == value) return word;
  return {};
}

/// Splits a comma-separated list of names; a name may be empty.
inline std::vector<std::string> parse_names(const std::string& given) {
  std::vector<std::string> names;
  std::size_t begin = 0;
  while (begin <= given.size()) {
    const std::size_t end = std::min(given.find(',', begin), given.size());
    names.push_back(given.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

/// Parses the numbers of "a,b,c"; empty if the text is anything else.
template <class Number>
std::vector<Number> parse_number_list(std::string_view text) {
  std::vector<Number> values;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (true) {
    Number value{};
    const auto [next, problem] = std::from_chars(at, end, value);
    if (problem != std::errc{}) return {};
    values.push_back(value);
    if (next == end) return values;
    if (*next != ',') return {};
    at = next + 1;
  }
}

/// Parses a list of `count` finite numbers; empty if the text is anything else.
inline std::vector<double> parse_finite_list(std::string_view text, std::size_t count) {
  std::vector<double> values = parse_number_list<double>(text);
  const auto is_finite = [](double value) { return std::isfinite(value); };
  if (values.size() != count || !std::ranges::all_of(values, is_finite)) values.clear();
  return values;
}

/// Returns the name with the smallest edit distance to `typed`, or the shortest one that `typed`
/// abbreviates ("bw" for "bandwidth"); empty if there is neither.
std::string_view nearest_name(std::string_view typed, std::span<const std::string_view> names);

/// Returns the suggestion for an unknown name: "did you mean 'X'? (one of A, B, C)".
std::string did_you_mean(std::string_view typed, std::span<const std::string_view> names);

}  // namespace skde
