#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skde::io {

/// What separates two fields of a row; whitespace is any run of blanks and tabs.
enum class Delimiter { whitespace, comma, semicolon, tab, bar };

/// A field without the blanks and quotes around it; doubled quotes inside are kept. A quotation
/// mark that is not closed at the end of a field is a character like others.
struct TextField {
  std::string_view text;
  bool quoted = false;
};

/// Returns the text of the field; in a quoted field doubled quotes become one.
std::string unquoted(const TextField& field);

/// Replaces `fields` with the fields of `line`, at most `most` of them. With whitespace as
/// delimiter, a field that begins with '#' ends the row, unless it is #N/A.
void split_fields(std::string_view line, Delimiter delimiter, std::size_t most,
                  std::vector<TextField>& fields);

/// Returns the words of a header line.
std::vector<std::string_view> split_words(std::string_view line);

/// Returns true if `text` begins with the word #N/A, which spreadsheets write for missing values.
bool begins_with_missing(std::string_view text);

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text);
std::string lower_case(std::string_view text);

/// Parses a decimal number as written by C, or by Fortran with D before the exponent, with an
/// optional '+', in any spelling of inf and nan. An empty field and NA, N/A, #N/A and null are NaN.
/// Numbers too large for a double become infinite, too small ones 0. Returns false for other texts.
bool parse_number(std::string_view text, double& value);

/// Returns true for "1,234.5" and "-1,234,567", which are not numbers: they have thousands
/// separators.
bool has_thousands(std::string_view text);

/// Returns true if a quotation mark of the line has no other: its text ends on a later line.
bool has_open_quote(std::string_view line);

/// Returns `text` with blanks for control characters, so that it fits on one line of a file's
/// header.
std::string on_one_line(std::string_view text);

/// Returns the extensions of the rows of a table of formats: ".ply, .obj".
template <class Formats>
std::string extensions_of(const Formats& formats) {
  std::string list;
  for (const auto& format : formats) list.append(list.empty() ? "" : ", ").append(format.extension);
  return list;
}

/// Returns `text` quoted for a message: short, on one line, printable.
std::string excerpt(std::string_view text);

}  // namespace skde::io
