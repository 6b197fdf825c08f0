#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {

/// What precedes the rows of a text file: possible column names, and the number of rows.
struct TextPreamble {
  std::string last_comment;
  std::string header;  ///< empty if there is none
  std::uint64_t header_line = 0;
  bool counts = false;             ///< the header counts 0, 1, 2, ... instead of naming the columns
  std::size_t row_labels = 0;      ///< columns before those that such a header counts
  std::vector<std::string> units;  ///< of the columns, if a line after the header holds them
  std::optional<std::uint64_t> count;  ///< number of rows, if a line of its own states it
  std::uint64_t count_line = 0;
  bool molecule = false;                 ///< the first column holds chemical elements
  std::vector<std::string> first_lines;  ///< lines that were read already; the first is the first
                                         ///< row
  std::uint64_t first_row_line = 0;
  Delimiter delimiter = Delimiter::whitespace;
};

/// All fields of a line.
std::vector<TextField> all_fields(std::string_view line, Delimiter delimiter);
/// Returns the delimiter of this line's fields.
Delimiter delimiter_of(std::string_view line);
/// Returns true for a field with a number in it; an empty field has none.
bool is_number(const TextField& field);

/// Skips `skip` lines, then reads up to and including the first row. If the first line is an
/// integer alone, it is a count if rows of more fields follow: at once, as in .pts files, or after
/// one line of any words, as in molecular .xyz files. A first line of whole numbers is a header, as
/// pandas and R write it for columns without names, if the rows below are unlike it. Throws
/// Error(input) if there is no row.
TextPreamble read_text_preamble(BufferedSource& source, std::uint64_t skip);

}  // namespace skde::io
