#include "viewer/session/frame_pattern.hpp"

#include <fmt/core.h>

#include <charconv>
#include <optional>

namespace skde::view {
namespace {

/// The parts of a pattern before and after its %d.
struct Parts {
  std::string_view before, after;
  int width = 0;
};

std::optional<Parts> split(std::string_view pattern) {
  constexpr int kWidest = 20;
  const auto percent = pattern.find('%');
  if (percent == pattern.npos || pattern.find('%', percent + 1) != pattern.npos) return {};
  const auto letter = pattern.find('d', percent);
  if (letter == pattern.npos) return {};
  Parts parts{pattern.substr(0, percent), pattern.substr(letter + 1)};
  const char *begin = pattern.data() + percent + 1, *end = pattern.data() + letter;
  if (begin == end) return parts;
  const auto [next, problem] = std::from_chars(begin, end, parts.width);
  if (problem != std::errc{} || next != end || *begin != '0' || parts.width > kWidest) return {};
  return parts;
}

}  // namespace

bool is_frame_pattern(std::string_view name) {
  return name.ends_with(".png") && split(name).has_value();
}

std::string frame_path(std::string_view pattern, int frame) {
  const Parts parts = split(pattern).value();
  return fmt::format("{}{:0{}}{}", parts.before, frame, parts.width, parts.after);
}

}  // namespace skde::view
