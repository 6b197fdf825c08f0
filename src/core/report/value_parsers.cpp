#include "core/report/value_parsers.hpp"

#include <fmt/core.h>

#include <charconv>
#include <cmath>

namespace skde {
namespace {

[[noreturn]] void fail(const std::string& message) { throw Error(ErrorKind::usage, message); }

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

}  // namespace skde
