#pragma once

#include <string_view>

namespace skde::io {

/// A file that is not a cloud, or a cloud in an unsupported format.
struct OtherFormat {
  std::string_view what;        ///< "is an E57 file, which is not read"
  std::string_view suggestion;  ///< a program that converts it
};

/// Returns the row for a file with these first bytes; null if they match none.
const OtherFormat* other_format_by_head(std::string_view head);
/// Returns the row for the extension of a name; null if there is none.
const OtherFormat* other_format_by_name(std::string_view name);

}  // namespace skde::io
