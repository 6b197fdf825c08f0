#include "core/report/byte_size.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>
#include <string_view>

#include "core/report/error.hpp"

namespace skde {
namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

/// Returns the factor of a unit; 0 if the word is not a unit.
double factor_of(std::string_view unit) {
  constexpr std::string_view kPrefixes = "kmgt";
  std::string word;
  for (const char c : unit) word += lower(c);
  if (word.empty() || word == "b") return 1;
  const std::size_t which = kPrefixes.find(word[0]);
  const std::string_view rest = std::string_view(word).substr(1);
  if (which == kPrefixes.npos || (!rest.empty() && rest != "b" && rest != "ib")) return 0;
  return std::exp2(10 * static_cast<double>(which + 1));
}

}  // namespace

std::int64_t parse_bytes(const std::string& given) {
  const char* const end = given.data() + given.size();
  std::int64_t whole = 0;  // exact, unlike a double
  if (const auto [next, problem] = std::from_chars(given.data(), end, whole);
      problem == std::errc{} && next == end && whole > 0)
    return whole;
  double number = 0;
  const auto [next, problem] = std::from_chars(given.data(), end, number);
  std::string_view unit(next, static_cast<std::size_t>(end - next));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  const double bytes = problem == std::errc{} ? number * factor_of(unit) : 0;
  if (!(bytes >= 1 && bytes <= 0x1p62))
    throw Error(ErrorKind::usage,
                fmt::format("must be a size in bytes, such as 500M, 2G or 2GiB; got '{}'", given));
  return static_cast<std::int64_t>(bytes);
}

}  // namespace skde
