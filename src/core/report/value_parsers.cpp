#include "core/report/value_parsers.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

namespace skde {
namespace {

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::usage, message); }

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

std::string NameAmong::operator()(const std::string& given) const {
  if (std::ranges::find(known_, given) != known_.end()) return given;
  const std::vector<std::string_view> names(known_.begin(), known_.end());
  throw Error(ErrorKind::usage, "unknown " + kind_ + " '" + given + "'",
              {{}, did_you_mean(given, names)});
}

std::uint64_t parse_whole(const std::string& given, std::uint64_t least, std::uint64_t most) {
  const char* const end = given.data() + given.size();
  std::uint64_t value = 0;
  auto [next, problem] = std::from_chars(given.data(), end, value);
  bool whole = problem == std::errc{} && next == end;
  bool is_large = problem == std::errc::result_out_of_range || (whole && value > most);
  if (!whole) {  // 1e6 and 2.5e3 are integers as well
    double real = 0;
    const auto parsed = std::from_chars(given.data(), end, real);
    is_large = is_large || (parsed.ptr == end && real >= 0x1p53);
    whole = parsed.ec == std::errc{} && parsed.ptr == end && real >= 0 && real < 0x1p53 &&
            real == std::floor(real);
    if (whole) value = static_cast<std::uint64_t>(real);
  }
  if (!whole || value < least || value > most)
    fail(!is_large && most == static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
             ? fmt::format("must be an integer of at least {1}; got '{0}'", given, least)
             : fmt::format("must be an integer from {1} to {2}; got '{0}'", given, least, most));
  return value;
}

double RealNumber::operator()(const std::string& given) const {
  double value = 0;
  const char* const end = given.data() + given.size();
  const auto [next, problem] = std::from_chars(given.data(), end, value);
  if (problem != std::errc{} || next != end || !std::isfinite(value) || value < least_)
    fail(fmt::format("must be a finite number of at least {1:g}; got '{0}'", given, least_));
  if (value > most_) fail(fmt::format("must be at most {1:g}; got '{0}'", given, most_));
  return value;
}

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
