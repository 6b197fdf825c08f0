#include "io/points/text_preamble.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/text_rows.hpp"

namespace skde::io {
namespace {

/// A tab is the delimiter, unless splitting at blanks yields more fields and all are numbers.
Delimiter tab_or_whitespace(std::string_view line) {
  const auto by_blanks = all_fields(line, Delimiter::whitespace);
  const bool numbers = std::ranges::all_of(by_blanks, is_number);
  const bool finer = by_blanks.size() > all_fields(line, Delimiter::tab).size();
  return numbers && finer ? Delimiter::whitespace : Delimiter::tab;
}

/// Returns true for a line with at least one word and no number, or with words that name x, y and
/// z.
bool is_header(std::string_view line, Delimiter delimiter) {
  const auto fields = all_fields(line, delimiter);
  const auto numbers = std::ranges::count_if(fields, [](const TextField& field) {
    return is_number(field) || has_thousands(field.text);  // rows report that better
  });
  // NA may be the name of a column, such as sodium, beside at least three others.
  const auto missing = std::ranges::count_if(fields, [](const TextField& field) {
    double value = 0;
    return is_number(field) && parse_number(field.text, value) && std::isnan(value);
  });
  if (numbers == missing && std::ssize(fields) >= missing + 3 &&
      std::ranges::none_of(fields, [](const TextField& field) { return field.text.empty(); }))
    return true;
  if (numbers == 0)
    return std::ranges::any_of(fields, [](const TextField& field) { return !field.text.empty(); });
  bool axes[3] = {};
  for (const TextField& field : fields) {
    const std::string low = lower_case(field.text);
    if (low.size() == 1 && low[0] >= 'x' && low[0] <= 'z') axes[low[0] - 'x'] = true;
  }
  return axes[0] && axes[1] && axes[2];
}

/// The integer that is alone on a line.
std::optional<std::uint64_t> lone_count(std::string_view line) {
  const std::string_view text = trimmed(line);
  std::uint64_t count = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (error != std::errc{} || end != text.data() + text.size() || count == 0) return std::nullopt;
  return count;
}

/// Returns true if at least three fields are numbers.
bool is_row(const std::vector<TextField>& fields) {
  return std::ranges::count_if(fields, is_number) >= 3;
}

/// Returns true if the second line may be a row of the same table as the first.
bool are_alike(const std::vector<TextField>& first, const std::vector<TextField>& second) {
  return first.size() == second.size() && is_number(first[0]) == is_number(second[0]);
}

class PreambleParser {
 public:
  PreambleParser(BufferedSource& source, std::uint64_t skip) : source_(source) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (source_.peek(kByteOrderMark.size()).starts_with(kByteOrderMark))
      source_.skip(kByteOrderMark.size());
    while (number_ < skip && source_.line()) ++number_;
  }

  TextPreamble parse() {
    while (auto line = next_line()) {
      if (trimmed(*line).empty()) continue;
      if (is_comment(*line)) {
        if (result_.header.empty()) result_.last_comment = std::move(*line);
        continue;
      }
      if (const auto count = lone_count(*line); count && may_be_counted()) {
        take_count(std::move(*line), *count);
        continue;
      }
      if (take_line(std::move(*line))) return std::move(result_);
    }
    throw Error(ErrorKind::input, fmt::format("{}: holds no row of numbers", source_.name()),
                {{}, "check the file"});
  }

 private:
  bool may_be_counted() const { return result_.header.empty() && !result_.count && !looked_; }

  /// Takes a header or the first row; returns true if the line is the first row.
  bool take_line(std::string line) {
    const Delimiter delimiter = delimiter_of(line);
    if (result_.header.empty() && is_header(line, delimiter)) {
      result_.header = std::move(line);
      result_.header_line = number_;
      result_.delimiter = delimiter;
      return false;
    }
    if (result_.header.empty()) result_.delimiter = delimiter;
    result_.first_row_line = number_;
    result_.first_lines.push_back(std::move(line));
    std::ranges::move(ahead_, std::back_inserter(result_.first_lines));
    return true;
  }

  /// Examines the two lines after a lone number, which may be the number of rows.
  void take_count(std::string line, std::uint64_t count) {
    const std::uint64_t count_line = number_;
    const std::optional<std::string> second = next_line(), third = second ? next_line() : second;
    number_ = count_line;
    const auto put_back = [&](const std::optional<std::string>& taken) {
      if (taken) ahead_.push_back(*taken);
    };
    const auto fields_of = [](const std::optional<std::string>& text) {
      return text ? all_fields(*text, delimiter_of(*text)) : std::vector<TextField>();
    };
    const auto first_fields = fields_of(second), second_fields = fields_of(third);
    const bool last = !third || trimmed(*third).empty();
    if (is_row(first_fields) && (last || are_alike(first_fields, second_fields))) {
      put_back(second);
    } else if (is_row(second_fields)) {
      const bool headed = second && is_header(*second, delimiter_of(*second)) &&
                          first_fields.size() == second_fields.size();
      if (headed) put_back(second);
      result_.molecule = !headed && second_fields.size() > 3;
      number_ += headed ? 0 : 1;
    } else {  // not a count, but a row of one number
      ahead_.push_back(std::move(line));
      put_back(second);
      put_back(third);
      --number_;
      looked_ = true;
      return;
    }
    put_back(third);
    result_.count = count;
    result_.count_line = count_line;
  }

  std::optional<std::string> next_line() {
    if (!ahead_.empty()) {
      std::string line = std::move(ahead_.front());
      ahead_.erase(ahead_.begin());
      ++number_;
      return line;
    }
    const auto line = source_.line();
    if (!line) return std::nullopt;
    ++number_;
    return std::string(*line);
  }

  BufferedSource& source_;
  TextPreamble result_;
  std::vector<std::string> ahead_;  // lines already examined
  std::uint64_t number_ = 0;        // number of the line taken last
  bool looked_ = false;             // looked for a count, but found none
};

}  // namespace

std::vector<TextField> all_fields(std::string_view line, Delimiter delimiter) {
  std::vector<TextField> fields;
  split_fields(line, delimiter, line.size() + 1, fields);
  return fields;
}

bool is_number(const TextField& field) {
  double value = 0;
  return !field.text.empty() && parse_number(field.text, value);
}

Delimiter delimiter_of(std::string_view line) {
  bool quoted = false, comma = false, tab = false;
  for (char c : line) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ';') return Delimiter::semicolon;
    comma = comma || c == ',';
    tab = tab || c == '\t';
  }
  if (comma) return Delimiter::comma;
  return tab ? tab_or_whitespace(line) : Delimiter::whitespace;
}

TextPreamble read_text_preamble(BufferedSource& source, std::uint64_t skip) {
  return PreambleParser(source, skip).parse();
}

}  // namespace skde::io
