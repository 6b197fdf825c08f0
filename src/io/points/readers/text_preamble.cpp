#include "io/points/readers/text_preamble.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <span>
#include <utility>

#include "core/report/error.hpp"
#include "io/points/columns/read_columns.hpp"
#include "io/points/readers/text_rows.hpp"

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

bool is_whole(const TextField& field) {
  return !field.text.empty() && field.text.size() < 10 && std::ranges::all_of(field.text, is_digit);
}

/// Returns whether three or more fields are whole numbers, each above the last one, or
/// above it by one.
bool are_rising(std::span<const TextField> fields, bool by_one) {
  if (fields.size() < 3 || !std::ranges::all_of(fields, is_whole)) return false;
  const auto number = [](const TextField& field) { return std::stoll(std::string(field.text)); };
  return std::ranges::adjacent_find(fields, [&](const TextField& one, const TextField& next) {
           const auto rise = number(next) - number(one);
           return by_one ? rise != 1 : rise < 1;
         }) == fields.end();
}

/// Returns true for consecutive whole numbers and nothing else.
bool are_consecutive(std::span<const TextField> fields) { return are_rising(fields, true); }

/// Returns true for three or more unlike whole numbers, also such as 1.0.
bool are_column_numbers(std::span<const TextField> fields) {
  std::vector<std::string_view> texts;
  for (const TextField& field : fields) {
    std::string_view text = field.text;
    if (text.ends_with(".0")) text.remove_suffix(2);
    if (text.empty() || !std::ranges::all_of(text, is_digit)) return false;
    texts.push_back(text);
  }
  std::ranges::sort(texts);
  return texts.size() >= 3 && std::ranges::adjacent_find(texts) == texts.end();
}

/// Returns true for a line that a program drew: ---+---+---.
bool is_rule(std::string_view line) {
  return line.find("--") != line.npos && line.find_first_not_of("-+|=, ;\t") == line.npos;
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
    if (result_.header.empty()) result_.counts = counts_columns(line, delimiter);
    if (result_.header.empty() && (result_.counts || is_header(line, delimiter))) {
      result_.header = std::move(line);
      result_.header_line = number_;
      result_.delimiter = delimiter;
      return false;
    }
    if (result_.header.empty()) result_.delimiter = delimiter;
    if (is_below_names(line)) return false;
    result_.first_row_line = number_;
    result_.first_lines.push_back(std::move(line));
    std::ranges::move(ahead_, std::back_inserter(result_.first_lines));
    return true;
  }

  /// Returns true for a line of whole numbers that name the columns, over rows that are otherwise.
  /// Before them stand names of columns of numbers, or nothing, over what labels the rows. Counting
  /// from 0 is more of a sign than from 1, as (1, 2, 3) may be a sample.
  bool counts_columns(std::string_view line, Delimiter delimiter) {
    constexpr std::size_t kEnough = 3;
    const std::vector<TextField> fields = all_fields(line, delimiter);
    const auto first = std::ranges::find_if(fields, is_number);
    const auto before = static_cast<std::size_t>(first - fields.begin());
    const auto names = std::span(fields).subspan(before);
    const bool consecutive = are_consecutive(names);
    if (!(before > 0 ? are_column_numbers(names) : are_rising(names, false))) return false;
    look_ahead();
    std::size_t rows = 0, width = 0, alike = 0, without_whole = 0, with_other = 0, numbered = 0,
                labelled = 0;
    for (const std::string& text : ahead_) {
      if (trimmed(text).empty() || is_comment(text)) continue;
      const std::vector<TextField> row = all_fields(text, delimiter);
      if (rows++ == 0) width = row.size();
      // Between blanks, no empty field comes before the names.
      if (row.size() != width || width < names.size() ||
          (before > 0 ? width != fields.size() : width - names.size() > 1))
        return false;
      const auto values = std::span(row).last(names.size());
      const auto labels = std::span(row).first(before);
      const auto whole = static_cast<std::size_t>(std::ranges::count_if(values, is_whole));
      alike += are_consecutive(values) ? 1 : 0;
      without_whole += whole == 0 ? 1 : 0;
      with_other += whole < values.size() ? 1 : 0;
      numbered += before > 0 && std::ranges::all_of(labels, is_number) ? 1 : 0;
      labelled += before > 0 && !labels[0].text.empty() ? 1 : 0;
    }
    const bool words = std::ranges::any_of(std::span(fields).first(before),
                                           [](const TextField& f) { return !f.text.empty(); });
    const bool has_labels = before > 0 || width > names.size(), enough = rows >= kEnough;
    bool counts = rows > 0 && numbered == rows;
    if (!counts && (words || alike == rows || (before > 0 && labelled == 0))) return false;
    if (!counts && consecutive)
      counts = names[0].text == "0" ? has_labels || enough || without_whole == rows
                                    : enough && with_other == rows;
    else if (!counts)
      counts = enough && without_whole == rows && are_rising(names, false) &&
               (names[0].text == "0" || names[0].text == "1");
    result_.row_labels = counts ? std::max(before, has_labels ? std::size_t{1} : 0) : 0;
    return counts;
  }

  void look_ahead() {
    constexpr std::size_t kLookedAt = 8;
    while (ahead_.size() < kLookedAt) {
      const auto more = source_.line();
      if (!more) break;
      ahead_.emplace_back(*more);
    }
  }

  /// Takes a line of units, or one that was drawn, below the names; returns false for other lines.
  bool is_below_names(const std::string& line) {
    if (result_.header.empty() || result_.counts) return false;
    if (is_rule(line)) return true;
    if (!result_.units.empty()) return false;
    result_.units = units_in(all_fields(line, result_.delimiter));
    if (result_.units.size() == all_fields(result_.header, result_.delimiter).size()) return true;
    result_.units.clear();
    return false;
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
  const bool has_pairs = std::ranges::count(line, '"') % 2 == 0;
  bool quoted = false, comma = false, tab = false, bar = false;
  for (char c : line) {
    if (c == '"') quoted = has_pairs && !quoted;
    if (quoted) continue;
    if (c == ';') return Delimiter::semicolon;
    comma = comma || c == ',';
    tab = tab || c == '\t';
    bar = bar || c == '|';
  }
  if (comma) return Delimiter::comma;
  if (tab) return tab_or_whitespace(line);
  return bar ? Delimiter::bar : Delimiter::whitespace;
}

TextPreamble read_text_preamble(BufferedSource& source, std::uint64_t skip) {
  return PreambleParser(source, skip).parse();
}

}  // namespace skde::io
