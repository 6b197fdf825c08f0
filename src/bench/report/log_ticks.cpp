#include "bench/report/log_ticks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <utility>

#include "pictures/axis_ticks.hpp"

namespace skde::bench {
namespace {

constexpr double kSlack =
    1e-9;  // relative: a tick that rounding moves off the range is still on it

int decade_below(double value) { return static_cast<int>(std::floor(std::log10(value) + kSlack)); }
int decade_above(double value) { return static_cast<int>(std::ceil(std::log10(value) - kSlack)); }

double ten_to(int power) { return power < 0 ? 1 / std::pow(10.0, -power) : std::pow(10.0, power); }

/// The multiples of the decades that lie in lower..upper.
std::vector<double> multiples(double lower, double upper, std::initializer_list<int> digits) {
  std::vector<double> found;
  for (int power = decade_below(lower); power <= decade_above(upper); ++power)
    for (const int digit : digits) {
      const double value = digit * ten_to(power);
      if (value >= lower * (1 - kSlack) && value <= upper * (1 + kSlack)) found.push_back(value);
    }
  return found;
}

std::vector<double> every(int stride, const std::vector<double>& decades) {
  std::vector<double> kept;
  for (const double value : decades)
    if (decade_below(value) % stride == 0) kept.push_back(value);
  return kept;
}

std::vector<double> major_positions(double lower, double upper, int most) {
  const auto count = static_cast<std::size_t>(std::max(2, most));
  std::vector<double> decades = multiples(lower, upper, {1});
  if (decades.size() > count)
    for (int stride = 2;; ++stride)
      if (std::vector<double> kept = every(stride, decades); kept.size() <= count) return kept;
  for (const auto& digits : {std::initializer_list<int>{1, 2, 5}, {1, 3}}) {
    std::vector<double> finer = multiples(lower, upper, digits);
    if (decades.size() < 3 && finer.size() >= 2 && finer.size() <= count) return finer;
  }
  if (decades.size() >= 2) return decades;
  return choose_ticks(lower, upper, std::max(5, most)).positions;
}

std::string power_text(double value) {
  const int power = decade_below(value);
  const double leading = value / ten_to(power);
  return std::abs(leading - 1) < 1e-6 ? power_of_ten(power)
                                      : fmt::format("{:.3g}·{}", leading, power_of_ten(power));
}

std::string seconds_text(double seconds) {
  static constexpr std::array<std::pair<double, const char*>, 3> kUnits{
      {{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}}};
  for (const auto& [unit, name] : kUnits)
    if (seconds < unit * 999.5) return fmt::format("{:.3g} {}", seconds / unit, name);
  if (seconds < 999.5) return fmt::format("{:.3g} s", seconds);
  return seconds < 99999.5 ? fmt::format("{:.0f} s", seconds) : power_text(seconds) + " s";
}

}  // namespace

double round_below(double value) {
  const double decade = ten_to(decade_below(value));
  for (const int digit : {5, 2})
    if (digit * decade <= value * (1 + kSlack)) return digit * decade;
  return decade;
}

double round_above(double value) {
  const double decade = ten_to(decade_below(value));
  for (const int digit : {1, 2, 5})
    if (digit * decade >= value * (1 - kSlack)) return digit * decade;
  return 10 * decade;
}

std::string tick_text(double value, TickText text) {
  if (value == 0) return "0";
  if (text == TickText::seconds) return seconds_text(value);
  const bool plain = std::abs(value) >= 0.000999 && std::abs(value) < 9999.5;
  const std::string number = plain ? fmt::format("{:.4g}", value) : power_text(value);
  return text == TickText::factor ? "×" + number : number;
}

ChartTicks choose_log_ticks(double lower, double upper, int most, TickText text) {
  ChartTicks ticks;
  ticks.positions = major_positions(lower, upper, most);
  for (const double position : ticks.positions) ticks.labels.push_back(tick_text(position, text));
  const double decades = std::log10(upper / lower);
  ticks.minor = decades <= 8 ? multiples(lower, upper, {1, 2, 3, 4, 5, 6, 7, 8, 9})
                             : multiples(lower, upper, {1});
  std::erase_if(ticks.minor, [&](double value) {
    return std::ranges::any_of(ticks.positions,
                               [&](double p) { return std::abs(p / value - 1) < 1e-6; });
  });
  return ticks;
}

}  // namespace skde::bench
