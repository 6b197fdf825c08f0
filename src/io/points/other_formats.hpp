#pragma once

#include <string_view>

namespace skde::io {

/// A file that is no cloud, or one of a format that is not read.
struct OtherFormat {
  std::string_view what;        ///< "is an E57 file, which is not read"
  std::string_view suggestion;  ///< the program that turns it into one that is
};

/// The row for a file with these first bytes; null where they say nothing.
const OtherFormat* other_format_by_head(std::string_view head);
/// The row for the extension of a name; null where it has none of theirs.
const OtherFormat* other_format_by_name(std::string_view name);

}  // namespace skde::io
