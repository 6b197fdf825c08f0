#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.hpp"
#include "io/text_fields.hpp"

namespace skde::io {

/// What stands before the rows of a text: what the columns may be called and how many rows follow.
struct TextPreamble {
  std::string last_comment;
  std::string header;  ///< empty where there is none
  std::uint64_t header_line = 0;
  std::optional<std::uint64_t> count;  ///< of rows, where a line of its own says it
  std::uint64_t count_line = 0;
  bool molecule = false;                 ///< the first column is that of the elements
  std::vector<std::string> first_lines;  ///< that were read already: the first is the first row
  std::uint64_t first_row_line = 0;
  Delimiter delimiter = Delimiter::whitespace;
};

/// All fields of a line.
std::vector<TextField> all_fields(std::string_view line, Delimiter delimiter);
/// What parts the fields of this line.
Delimiter delimiter_of(std::string_view line);
/// True for a field with a number in it; an empty one has none.
bool is_number(const TextField& field);

/// Passes over `skip` lines, then reads up to and with the first row. A first line that is a whole
/// number alone is a count where rows of more fields follow: at once, as in .pts files, or behind a
/// line of any words, as in molecular .xyz files. Error(input) where there is no row.
TextPreamble read_text_preamble(BufferedSource& source, std::uint64_t skip);

}  // namespace skde::io
