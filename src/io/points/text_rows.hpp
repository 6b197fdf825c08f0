#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/points/columns/column_selection.hpp"
#include "io/points/record_reader.hpp"
#include "io/text_fields.hpp"

namespace skde::io {

/// Rows of text: one a line, each with the same number of fields.
struct TextLayout {
  Delimiter delimiter = Delimiter::whitespace;
  std::size_t columns = 0;
  std::string columns_from;  ///< for messages: "line 1 has" or "the header promises"
  SelectedColumns selected;
  std::vector<std::string> names;     ///< of the columns, for messages; may be empty
  bool comments = true;               ///< lines that begin with # or // are passed over
  std::optional<std::uint64_t> rows;  ///< as the header promises; otherwise up to the end
  std::string rows_from = "the header declares";  ///< for messages
  Surplus surplus = Surplus::error;               ///< what lines behind the promised rows are
};

/// True for a line that begins with # or //.
bool is_comment(std::string_view line);

/// Reads rows from the source's position on, which follows `lines_before` lines and, if there are
/// any, the `first_lines`, which were taken from the source already.
std::unique_ptr<PointReader> read_text_rows(BufferedSource source, TextLayout layout,
                                            std::uint64_t lines_before,
                                            std::vector<std::string> first_lines = {});

}  // namespace skde::io
