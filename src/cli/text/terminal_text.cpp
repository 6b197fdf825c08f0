#include "cli/text/terminal_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "core/report/error.hpp"
#include "core/space/grid.hpp"

namespace skde::cli {
namespace {

/// Returns the bytes of the UTF-8 character at the front; 0 if there is none.
std::size_t character_bytes(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t bytes = first < 0xc2   ? 0
                            : first < 0xe0 ? 2
                            : first < 0xf0 ? 3
                            : first < 0xf5 ? 4
                                           : 0;
  if (bytes == 0 || bytes > text.size()) return 0;
  for (std::size_t i = 1; i < bytes; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const unsigned char second = byte(1);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second >= 0xa0;
  return overlong || surrogate || (first == 0xf4 && second >= 0x90) ? 0 : bytes;
}

/// Returns whether this is a control character of ASCII, or of U+0080 to U+009F, which some
/// terminals obey as well.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

void append_escaped(std::string& shown, std::string_view bytes) {
  for (const char c : bytes) {
    if (c == '\n')
      shown += "\\n";
    else if (c == '\r')
      shown += "\\r";
    else if (c == '\t')
      shown += "\\t";
    else
      shown += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  while (!text.empty()) {
    const std::size_t bytes = character_bytes(text);
    const std::string_view character = text.substr(0, std::max<std::size_t>(bytes, 1));
    if (bytes == 0 || is_control(character))
      append_escaped(shown, character);
    else
      shown += character;
    text.remove_prefix(character.size());
  }
  return shown;
}

std::string printable_line(std::string_view text) {
  constexpr std::size_t kMost = 8192, kEnd = 1024;  // a path may have 4096 bytes
  if (text.size() <= kMost) return printable(text);
  return fmt::format("{} [... {} bytes ...] {}", printable(text.substr(0, kEnd)),
                     text.size() - 2 * kEnd, printable(text.substr(text.size() - kEnd)));
}

void tell(std::string_view text) noexcept {
  static_cast<void>(std::fwrite(text.data(), 1, text.size(), stderr));
  static_cast<void>(std::fflush(stderr));
}

std::string flag_of(std::string_view parameter) {
  std::string flag = fmt::format("--{}", parameter);
  std::ranges::replace(flag, '_', '-');
  return flag;
}

std::string with_flags(std::string_view text) {
  return with_parameters(text, [](std::string_view name, std::string_view value) {
    return fmt::format("{}{}{}", flag_of(name), value.empty() ? "" : " ", value);
  });
}

std::string format_count(std::uint64_t count) {
  const std::string digits = std::to_string(count);
  std::string grouped;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) grouped += ',';
    grouped += digits[i];
  }
  return grouped;
}

std::string format_value(double value) { return fmt::format("{:.6g}", value == 0 ? 0.0 : value); }

std::string format_coordinate(double value, double extent) {
  if (!(extent > 0) || !std::isfinite(extent) || !std::isfinite(value) || std::abs(value) >= 1e12)
    return format_value(value);
  const int leading = static_cast<int>(std::floor(std::log10(extent)));
  if (leading < -9) return fmt::format("{:.12g}", value);
  std::string text = fmt::format("{:.{}f}", value, std::max(0, 5 - leading));
  if (text.find('.') != text.npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text == "-0" ? "0" : text;
}

std::string format_duration(double seconds) {
  if (seconds < 0.9995e-3) return fmt::format("{:.0f} us", seconds * 1e6);
  if (seconds < 0.9995) return fmt::format("{:.3g} ms", seconds * 1e3);
  if (seconds < 99.5) return fmt::format("{:.3g} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {:02} s", whole / 60, whole % 60);
  return fmt::format("{} h {:02} min", whole / 3600, whole % 3600 / 60);
}

std::string format_rate(double per_second, std::string_view unit) {
  if (unit == "bytes") return format_bytes(per_second) + "/s";
  static constexpr std::array kPrefixes{"", "k ", "M ", "G ", "T "};
  std::size_t prefix = 0;
  while (per_second >= 999.5 && prefix + 1 < kPrefixes.size()) {
    per_second /= 1000;
    ++prefix;
  }
  return fmt::format("{:.3g} {}{}/s", per_second, kPrefixes[prefix], unit);
}

std::string format_share(double share) {
  const double percent = std::floor(share * 1e8 + 0.5) / 1e6;
  if (share < 1 && percent >= 100) return "just below 100 %";
  return fmt::format("{:.6g} %", percent);
}

}  // namespace skde::cli
