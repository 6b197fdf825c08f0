#pragma once

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <system_error>
#include <vector>

namespace skde {

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

}  // namespace skde
