#include <fmt/core.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/report/error.hpp"
#include "io/points/columns/column_selection.hpp"
#include "io/points/readers/point_format_readers.hpp"
#include "io/points/readers/text_preamble.hpp"
#include "io/points/readers/text_rows.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {
namespace {

std::vector<std::string> names_of(std::string_view line, Delimiter delimiter) {
  std::vector<std::string> names;
  for (const TextField& field : all_fields(line, delimiter)) names.push_back(unquoted(field));
  return names;
}

/// Names of `count` columns from a comment such as "# x y z", "% x y z" or "//X,Y,Z"; empty if the
/// comment holds none.
std::vector<std::string> names_in_comment(std::string_view comment, std::size_t count) {
  std::string_view text = trimmed(comment);
  while (text.starts_with('#') || text.starts_with('/') || text.starts_with('%'))
    text.remove_prefix(1);
  const Delimiter delimiter = delimiter_of(text);
  const auto fields = all_fields(text, delimiter);
  if (fields.size() != count || std::ranges::any_of(fields, is_number)) return {};
  return names_of(text, delimiter);
}

/// Names of the columns, empty for those without one. If the header has one name less than the
/// first row has fields, the first column holds unnamed labels, as in tables that R writes. The
/// rows of a molecule begin with the element, by its symbol or its number.
std::vector<std::string> column_names(const TextPreamble& preamble,
                                      const std::vector<TextField>& first_row) {
  if (preamble.molecule) {
    std::vector<std::string> names{"element", "x", "y", "z"};
    names.resize(first_row.size());
    return names;
  }
  if (preamble.counts) return std::vector<std::string>(first_row.size());
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

void check_lengths(const TextPreamble& preamble, std::size_t names, std::size_t fields,
                   const std::string& file) {
  if (names == fields) return;
  throw Error(
      ErrorKind::input,
      fmt::format("{}: line {}: it has {} fields, but line {} has {} names", file,
                  preamble.first_row_line, fields, preamble.header_line, names),
      {"skip", has_open_quote(preamble.first_lines.front())
                   ? "write the quoted text on one line"
                   : "correct the row or the header, or skip lines before it with `skip=N`"});
}

/// Throws if the text may as well be the transpose of a cloud. Rows that are looked at are appended
/// to `lines`.
void refuse_transposed(BufferedSource& source, const ColumnSelection& wanted,
                       const FileColumns& found, std::vector<std::string>& lines) {
  constexpr std::size_t kRows = 3;
  const bool nameless = std::ranges::all_of(found.names, &std::string::empty);
  if (!wanted.coordinates.empty() || found.names.size() <= kRows || !nameless ||
      std::ranges::count(found.numeric, false) > 0)
    return;
  const auto is_row = [](const std::string& line) {
    return !trimmed(line).empty() && !is_comment(line);
  };
  auto rows = static_cast<std::size_t>(std::ranges::count_if(lines, is_row));
  for (; rows <= kRows; rows += is_row(lines.back()) ? 1 : 0) {
    const auto line = source.line();
    if (!line && rows < kRows) return;
    if (!line)
      throw Error(ErrorKind::input,
                  fmt::format("{}: 3 rows of {} numbers are ambiguous: 3 samples, or x, y and z in "
                              "rows",
                              source.name(), found.names.size()),
                  {"columns", "save its transpose, or name three columns with `columns=1,2,3`"});
    lines.emplace_back(*line);
  }
}

}  // namespace

std::unique_ptr<PointReader> open_text(BufferedSource source, const ColumnSelection& columns) {
  TextPreamble preamble = read_text_preamble(source, columns.skip);
  const auto first_row = all_fields(preamble.first_lines[0], preamble.delimiter);
  FileColumns found{source.name(),
                    column_names(preamble, first_row),
                    {},
                    fmt::format("line {}", preamble.first_row_line)};
  found.hold_texts = true;
  const auto any_thousands = [](const std::vector<TextField>& fields) {
    return std::ranges::any_of(fields, [](const TextField& f) { return has_thousands(f.text); });
  };
  if (any_thousands(first_row) ||
      any_thousands(all_fields(preamble.first_lines[0], Delimiter::whitespace)))
    found.remedy = "write thousands without commas";
  found.from_comment = preamble.header.empty() && !preamble.molecule;
  check_lengths(preamble, found.names.size(), first_row.size(), source.name());
  for (const TextField& field : first_row) {
    double value = 0;
    found.numeric.push_back(!field.quoted && parse_number(field.text, value));
  }
  std::fill_n(found.numeric.begin(), preamble.row_labels, false);
  if (!preamble.count) refuse_transposed(source, columns, found, preamble.first_lines);
  found.units = preamble.units;
  if (preamble.counts)
    found.remark = fmt::format("line {} counts the columns", preamble.header_line);
  if (preamble.row_labels > 0)
    add_remark(
        preamble.row_labels == 1
            ? "column 1 numbers the rows and is left out"
            : fmt::format("columns 1 to {} label the rows and are left out", preamble.row_labels),
        found.remark);
  if (!preamble.units.empty())
    add_remark(fmt::format("units are below line {}", preamble.header_line), found.remark);
  TextLayout layout;
  layout.delimiter = preamble.delimiter;
  layout.columns = first_row.size();
  const bool headed = !preamble.header.empty();
  layout.columns_from =
      fmt::format("line {} has", headed ? preamble.header_line : preamble.first_row_line);
  layout.selected = select_columns(columns, found);
  layout.names = std::move(found.names);
  layout.rows = preamble.count;
  layout.rows_from = fmt::format("line {} declares", preamble.count_line);
  ReadColumns read = layout.selected.described;
  auto reader = read_text_rows(std::move(source), std::move(layout), preamble.first_row_line - 1,
                               std::move(preamble.first_lines));
  reader->set_columns(std::move(read));
  return reader;
}

}  // namespace skde::io
