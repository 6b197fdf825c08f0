#include "io/text/date_time.hpp"

#include <charconv>
#include <chrono>

#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

/// Takes a number of `digits` digits, at most `most`, and one of the characters `behind` after it.
/// Returns false if the text has another form.
bool take_digits(std::string_view& text, std::size_t digits, int most, std::string_view behind,
                 int& value) {
  if (text.size() < digits) return false;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + digits, value);
  if (problem != std::errc{} || end != text.data() + digits || text[0] == '-' || value > most)
    return false;
  text.remove_prefix(digits);
  if (behind.empty()) return true;
  if (text.empty() || behind.find(text.front()) == behind.npos) return false;
  text.remove_prefix(1);
  return true;
}

/// Takes the digits behind a decimal point.
bool take_fraction(std::string_view& text, DateTime& time) {
  std::int64_t unit = 1'000'000'000;
  std::size_t digits = 0;
  for (; digits < text.size() && is_digit(text[digits]); ++digits) {
    const int digit = text[digits] - '0';
    unit /= 10;
    time.nanoseconds += unit * digit;
    time.has_more = time.has_more || (unit == 0 && digit != 0);
  }
  text.remove_prefix(digits);
  return digits > 0;
}

/// Takes "Z" or "+01:00", if there is one.
bool take_zone(std::string_view& text, std::int64_t& seconds) {
  if (text.starts_with('Z') || text.starts_with('z')) {
    text.remove_prefix(1);
    return true;
  }
  std::string_view rest = text;
  int hours = 0, minutes = 0;
  if (!rest.starts_with('+') && !rest.starts_with('-')) return false;
  rest.remove_prefix(1);
  if (!take_digits(rest, 2, 23, ":", hours) || !take_digits(rest, 2, 59, {}, minutes)) return false;
  seconds = (text.front() == '-' ? -60 : 60) * (hours * 60 + minutes);
  text = rest;
  return true;
}

/// Takes a blank or T, and a clock time.
bool take_clock(std::string_view& text, DateTime& time) {
  int hour = 0, minute = 0, second = 0;
  if (text.empty() || std::string_view("Tt ").find(text.front()) == text.npos) return false;
  text.remove_prefix(1);
  if (!take_digits(text, 2, 23, ":", hour) || !take_digits(text, 2, 59, {}, minute)) return false;
  const bool has_seconds = text.starts_with(':');
  if (has_seconds) {
    text.remove_prefix(1);
    if (!take_digits(text, 2, 60, {}, second)) return false;
    if (text.starts_with('.')) {
      text.remove_prefix(1);
      if (!take_fraction(text, time)) return false;
    }
  }
  std::int64_t zone = 0;
  time.is_whole = take_zone(text, zone) && has_seconds;
  time.seconds += (hour * 60 + minute) * 60 + second - zone;
  return true;
}

}  // namespace

bool begins_as_date(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-dd";
  if (text.size() < kForm.size()) return false;
  for (std::size_t i = 0; i < kForm.size(); ++i)
    if (kForm[i] == 'd' ? !is_digit(text[i]) : text[i] != '-') return false;
  return text.size() == kForm.size() || !is_digit(text[kForm.size()]);
}

std::optional<DateTime> take_date_time(std::string_view& text) {
  namespace chrono = std::chrono;
  if (!begins_as_date(text)) return std::nullopt;
  std::string_view rest = text;
  int year = 0, month = 0, day = 0;
  if (!take_digits(rest, 4, 9999, "-", year) || !take_digits(rest, 2, 12, "-", month) ||
      !take_digits(rest, 2, 31, {}, day))
    return std::nullopt;
  const chrono::year_month_day date{chrono::year(year), chrono::month(static_cast<unsigned>(month)),
                                    chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return std::nullopt;
  DateTime time;
  time.seconds = std::int64_t{86400} * chrono::sys_days(date).time_since_epoch().count();
  text = rest;
  if (DateTime with_clock = time; take_clock(rest, with_clock)) {
    text = rest;
    return with_clock;
  }
  return time;
}

}  // namespace skde::io
