#include "pictures/axis_ticks.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>

namespace skde {
namespace {

constexpr int kPlainDigits = 5;         // longer labels take an offset or an exponent
constexpr int kSignificantDigits = 4;   // labels with more digits take an offset
constexpr double kLargestIndex = 1e15;  // multiples of the step that a double can still distinguish

int decade(double value) { return static_cast<int>(std::floor(std::log10(value) + 1e-9)); }

/// 10^n, correctly rounded on both sides of 0 if 10^|n| is exact.
double ten_to(int n) { return n < 0 ? 1.0 / std::pow(10.0, -n) : std::pow(10.0, n); }

/// digit * 10^power.
struct Step {
  int digit = 1, power = 0;

  double multiple(double index) const {
    const double whole = index * digit;
    return power < 0 ? whole / std::pow(10.0, -power) : whole * std::pow(10.0, power);
  }
};

/// The smallest of 1, 2, 5 times a power of ten that is not below `length`.
Step step_above(double length) {
  const int power = decade(length);
  const double leading = length / ten_to(power);
  for (const int digit : {1, 2, 5})
    if (leading <= digit * (1 + 1e-9)) return {digit, power};
  return {1, power + 1};
}

/// Uses a minus sign as wide as a plus, as in print; no negative zero.
std::string format_fixed(double value, int decimals) {
  std::string text = fmt::format("{:.{}f}", std::abs(value), decimals);
  const bool zero = text.find_first_not_of("0.") == std::string::npos;
  return value < 0 && !zero ? fmt::format("\u2212{}", text) : text;
}

/// A round number among the ticks, a multiple of a power of ten above the span; if there is none,
/// the leading digits that the ticks share.
double common_offset(double lower, double upper, double span) {
  const double unit = ten_to(decade(span) + 1);
  const double slack = 1e-6 * span;
  const double round = std::round(0.5 * (lower + upper) / unit) * unit;
  if (round >= lower - slack && round <= upper + slack) return round;
  return std::trunc((lower > 0 ? lower : upper) / unit) * unit;
}

int exponent_for(double greatest, double step) {
  if (greatest < 1e5 && step >= 0.999e-3) return 0;
  return 3 * static_cast<int>(std::floor(decade(greatest) / 3.0));
}

void write_labels(AxisTicks& ticks, const Step& step) {
  double greatest = 0;
  for (const double t : ticks.positions) greatest = std::max(greatest, std::abs(t));
  const int decimals = std::max(0, -step.power);
  const int whole_digits = greatest >= 1 ? decade(greatest) + 1 : 1;
  const int significant = greatest > 0 ? decade(greatest) - step.power + 1 : 1;
  const bool mostly_zeros = greatest < 1e-2 && decimals > 3;
  if (whole_digits + decimals > kPlainDigits || mostly_zeros) {
    if (significant > kSignificantDigits)
      ticks.offset = common_offset(ticks.positions.front(), ticks.positions.back(),
                                   ticks.positions.back() - ticks.positions.front() + ticks.step);
    // Rounded to whole steps, because the difference from a large offset has lost digits.
    double steps = 1;
    for (const double t : ticks.positions)
      steps = std::max(steps, std::round(std::abs(t - ticks.offset) / ticks.step));
    ticks.exponent = exponent_for(steps * ticks.step, ticks.step);
  }
  for (const double t : ticks.positions)
    ticks.labels.push_back(format_fixed((t - ticks.offset) / ten_to(ticks.exponent),
                                        std::max(0, ticks.exponent - step.power)));
}

/// The powers of ten 10^first..10^last of a range; none if first > last.
struct Decades {
  int first = 0, last = -1;
  int count() const { return last - first + 1; }
};

/// A power that rounding moves just outside the range still belongs to it.
Decades decades_within(double lower, double upper) {
  constexpr double kRounding = 1e-9;
  if (!(lower > 0) || !std::isfinite(upper)) return {};
  return {static_cast<int>(std::ceil(std::log10(lower) - kRounding)),
          static_cast<int>(std::floor(std::log10(upper) + kRounding))};
}

AxisTicks single_tick(double position) {
  AxisTicks ticks;
  ticks.positions = {position};
  ticks.labels = {fmt::format("{:.10g}", position)};
  return ticks;
}

}  // namespace

AxisTicks choose_ticks(double lower, double upper, int intervals) {
  const double span = upper - lower;
  if (!(span >= std::numeric_limits<double>::min()) || !std::isfinite(span))
    return single_tick(lower);
  const Step step = step_above(span / std::max(1, intervals));
  AxisTicks ticks;
  ticks.step = step.multiple(1);
  const double greatest = std::max(std::abs(lower), std::abs(upper));
  if (!(ticks.step > 0) || !(greatest / ticks.step < kLargestIndex)) return single_tick(lower);
  // A tick that rounding moves just outside the range still belongs to it.
  const double slack = 1e-9 * span / ticks.step;
  const auto first = static_cast<std::int64_t>(std::ceil(lower / ticks.step - slack));
  const auto last = static_cast<std::int64_t>(std::floor(upper / ticks.step + slack));
  for (std::int64_t index = first; index <= last; ++index)
    ticks.positions.push_back(std::clamp(step.multiple(static_cast<double>(index)), lower, upper));
  // Ends, because a range of five steps contains a tick.
  if (ticks.positions.empty()) return choose_ticks(lower, upper, intervals + 1);
  write_labels(ticks, step);
  return ticks;
}

AxisTicks choose_log_ticks(double lower, double upper, int most) {
  const int labels = std::max(1, most);
  const Decades decades = decades_within(lower, upper);
  if (decades.count() < 2) return choose_ticks(lower, upper, std::max(1, labels - 1));
  const int stride = (decades.count() + labels - 1) / labels;
  AxisTicks ticks;
  // The multiples of the power below the range may be within it.
  for (int power = decades.first - 1; power <= decades.last; ++power) {
    const double position = std::pow(10.0, power);
    if (power >= decades.first && power % stride == 0) {
      ticks.positions.push_back(std::clamp(position, lower, upper));
      ticks.labels.push_back(power_of_ten(power));
    } else if (power >= decades.first) {
      ticks.minor.push_back(std::clamp(position, lower, upper));
    }
    for (int digit = 2; digit < 10 && stride == 1; ++digit)
      if (const double multiple = digit * position; multiple > lower && multiple < upper)
        ticks.minor.push_back(multiple);
  }
  return ticks;
}

std::string power_of_ten(int exponent) {
  static constexpr std::array kDigits{"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                      "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  std::string text = exponent < 0 ? "10\u207b" : "10";
  for (const char digit : std::to_string(std::abs(exponent)))
    text += kDigits[static_cast<std::size_t>(digit - '0')];
  return text;
}

std::string axis_caption(const std::string& name, const AxisTicks& ticks,
                         const std::string& units) {
  std::string text = name;
  if (ticks.offset != 0)
    text += fmt::format(" {} {:.15g}", ticks.offset > 0 ? "\u2212" : "+", std::abs(ticks.offset));
  const std::string power = ticks.exponent == 0 ? "" : power_of_ten(ticks.exponent);
  const std::string scale = power.empty() || units.empty() ? power + units : power + " " + units;
  return scale.empty() ? text : fmt::format("{} ({})", text, scale);
}

}  // namespace skde
