#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "io/points/column_selection.hpp"
#include "io/points/point_format_readers.hpp"
#include "io/points/text_rows.hpp"
#include "io/text_fields.hpp"

namespace skde::io {
namespace {

/// The lines before the first row: what the columns may be called, and that row.
struct Preamble {
  std::string last_comment;
  std::string header;  ///< empty where there is none
  std::uint64_t header_line = 0;
  std::string first_row;
  std::uint64_t first_row_line = 0;
  Delimiter delimiter = Delimiter::whitespace;
};

std::vector<TextField> all_fields(std::string_view line, Delimiter delimiter) {
  std::vector<TextField> fields;
  split_fields(line, delimiter, line.size() + 1, fields);
  return fields;
}

bool is_number(const TextField& field) {
  double value = 0;
  return !field.text.empty() && parse_number(field.text, value);
}

/// A tab parts fields, unless blanks part more of them and all are numbers.
Delimiter tab_or_whitespace(std::string_view line) {
  const auto by_blanks = all_fields(line, Delimiter::whitespace);
  const bool numbers = std::ranges::all_of(by_blanks, is_number);
  const bool finer = by_blanks.size() > all_fields(line, Delimiter::tab).size();
  return numbers && finer ? Delimiter::whitespace : Delimiter::tab;
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

std::string name_of(const TextField& field) {
  std::string name;
  for (std::size_t i = 0; i < field.text.size(); ++i) {
    name += field.text[i];
    if (field.quoted && field.text.substr(i, 2) == "\"\"") ++i;
  }
  return name;
}

std::vector<std::string> names_of(std::string_view line, Delimiter delimiter) {
  std::vector<std::string> names;
  for (const TextField& field : all_fields(line, delimiter)) names.push_back(name_of(field));
  return names;
}

/// A line with at least one word and no number, or with words that name x, y and z.
bool is_header(std::string_view line, Delimiter delimiter) {
  const auto fields = all_fields(line, delimiter);
  const auto numbers = std::ranges::count_if(fields, is_number);
  if (numbers == 0)
    return std::ranges::any_of(fields, [](const TextField& field) { return !field.text.empty(); });
  bool axes[3] = {};
  for (const TextField& field : fields) {
    const std::string low = lower_case(field.text);
    if (low.size() == 1 && low[0] >= 'x' && low[0] <= 'z') axes[low[0] - 'x'] = true;
  }
  return axes[0] && axes[1] && axes[2];
}

Preamble read_preamble(BufferedSource& source) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (source.peek(kByteOrderMark.size()).starts_with(kByteOrderMark))
    source.skip(kByteOrderMark.size());
  Preamble preamble;
  std::uint64_t number = 0;
  while (const auto line = source.line()) {
    ++number;
    if (trimmed(*line).empty()) continue;
    if (is_comment(*line)) {
      if (preamble.header.empty()) preamble.last_comment = *line;
      continue;
    }
    const Delimiter delimiter = delimiter_of(*line);
    if (preamble.header.empty() && is_header(*line, delimiter)) {
      preamble.header = *line;
      preamble.header_line = number;
      preamble.delimiter = delimiter;
      continue;
    }
    if (preamble.header.empty()) preamble.delimiter = delimiter;
    preamble.first_row = *line;
    preamble.first_row_line = number;
    return preamble;
  }
  throw Error(ErrorKind::input, fmt::format("{}: holds no row of numbers", source.name()),
              {{}, "check the file"});
}

/// The names that a comment such as "# x y z" or "//X,Y,Z" gives to `count` columns, if it does.
std::vector<std::string> names_in_comment(std::string_view comment, std::size_t count) {
  std::string_view text = trimmed(comment);
  while (text.starts_with('#') || text.starts_with('/')) text.remove_prefix(1);
  const Delimiter delimiter = delimiter_of(text);
  const auto fields = all_fields(text, delimiter);
  if (fields.size() != count || std::ranges::any_of(fields, is_number)) return {};
  return names_of(text, delimiter);
}

/// Names of the columns, one each, empty where there are none. A header with one name less than the
/// first row has fields leaves out the name of a first column of labels, as R writes its tables.
std::vector<std::string> column_names(const Preamble& preamble,
                                      const std::vector<TextField>& first_row) {
  if (preamble.header.empty()) {
    auto names = names_in_comment(preamble.last_comment, first_row.size());
    names.resize(first_row.size());
    return names;
  }
  auto names = names_of(preamble.header, preamble.delimiter);
  const bool labelled = first_row[0].quoted || !is_number(first_row[0]);
  if (labelled && names.size() + 1 == first_row.size()) names.insert(names.begin(), std::string());
  return names;
}

void check_lengths(const Preamble& preamble, std::size_t names, std::size_t fields,
                   const std::string& file) {
  if (names == fields) return;
  throw Error(ErrorKind::input,
              fmt::format("{}: line {}: the number of its fields is {}, but line {} has {} names",
                          file, preamble.first_row_line, fields, preamble.header_line, names),
              {{}, "mend the row or the header"});
}

}  // namespace

std::unique_ptr<PointReader> open_text(BufferedSource source, const ColumnSelection& columns) {
  Preamble preamble = read_preamble(source);
  const auto first_row = all_fields(preamble.first_row, preamble.delimiter);
  FileColumns found{source.name(),
                    column_names(preamble, first_row),
                    {},
                    fmt::format("line {}", preamble.first_row_line)};
  check_lengths(preamble, found.names.size(), first_row.size(), source.name());
  for (const TextField& field : first_row) {
    double value = 0;
    found.numeric.push_back(!field.quoted && parse_number(field.text, value));
  }
  TextLayout layout;
  layout.delimiter = preamble.delimiter;
  layout.columns = first_row.size();
  const bool headed = !preamble.header.empty();
  layout.columns_from =
      fmt::format("line {} has", headed ? preamble.header_line : preamble.first_row_line);
  layout.selected = select_columns(columns, found);
  layout.names = std::move(found.names);
  return read_text_rows(std::move(source), std::move(layout), preamble.first_row_line - 1,
                        std::move(preamble.first_row));
}

}  // namespace skde::io
