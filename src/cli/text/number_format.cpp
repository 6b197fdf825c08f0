#include "cli/text/number_format.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/space/grid.hpp"

namespace skde::cli {

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
