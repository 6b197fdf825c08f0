#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/points/columns/column_selection.hpp"
#include "io/points/readers/record_reader.hpp"
#include "io/text/text_fields.hpp"

namespace skde::io {

/// Rows of text, one per line, each with the same number of fields.
struct TextLayout {
  Delimiter delimiter = Delimiter::whitespace;
  std::size_t columns = 0;
  std::string columns_from;  ///< for messages: "line 1 has" or "the header promises"
  SelectedColumns selected;
  std::vector<std::string> names;     ///< of the columns, for messages; may be empty
  bool comments = true;               ///< lines that begin with #, // or % are skipped
  std::optional<std::uint64_t> rows;  ///< as the header promises; unset: read to the end
  std::string rows_from = "the header declares";  ///< for messages
  Surplus surplus = Surplus::error;               ///< how lines after the promised rows are treated
};

/// Returns true for a line that begins with # (but not #N/A), // or %.
bool is_comment(std::string_view line);

/// Reads rows from the source's position on. `lines_before` lines precede it; they are followed by
/// the `first_lines`, which were already taken from the source.
std::unique_ptr<PointReader> read_text_rows(BufferedSource source, TextLayout layout,
                                            std::uint64_t lines_before,
                                            std::vector<std::string> first_lines = {});

}  // namespace skde::io
