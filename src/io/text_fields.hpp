#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skde::io {

/// What stands between two fields of a row; whitespace is any run of blanks and tabs.
enum class Delimiter { whitespace, comma, semicolon, tab };

/// A field without the blanks and quotes around it; a doubled quote inside is left as it is.
struct TextField {
  std::string_view text;
  bool quoted = false;
};

/// What the field says: doubled quotes between quotes are one.
std::string unquoted(const TextField& field);

/// Replaces `fields` with the fields of `line`, at most `most` of them. With whitespace as
/// delimiter a field that begins with '#' ends the row, unless it is #N/A.
void split_fields(std::string_view line, Delimiter delimiter, std::size_t most,
                  std::vector<TextField>& fields);

/// The words of a header line.
std::vector<std::string_view> split_words(std::string_view line);

/// True where `text` begins with the word #N/A, which spreadsheets write for what is missing.
bool begins_with_missing(std::string_view text);

constexpr bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::string_view trimmed(std::string_view text);
std::string lower_case(std::string_view text);

/// A decimal number as C writes them, or Fortran with D before the exponent, with an optional '+',
/// any spelling of inf and nan; an empty field and NA, N/A, #N/A and null are NaN. A number too
/// large for a double is infinite, one too small 0. False where `text` is none of these.
bool parse_number(std::string_view text, double& value);

/// True for "1,234.5" and "-1,234,567", which are no numbers: digits in threes behind commas.
bool has_thousands(std::string_view text);

/// `text` with blanks for control characters: one line of a file's header, whatever it holds.
std::string on_one_line(std::string_view text);

/// `text` between quotes for a message: short, on one line, printable.
std::string excerpt(std::string_view text);

}  // namespace skde::io
