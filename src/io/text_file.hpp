#pragma once

#include <string>
#include <string_view>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// All of a file. Error(input) where it cannot be read.
std::string read_text(const std::string& path, const OpenFiles& files = {});
/// Writes a file whole or not at all. Error(output) where that fails.
void write_text(const std::string& path, std::string_view text);

/// A field of a CSV row: in quotation marks where a comma, a quotation mark or a line break would
/// end it.
std::string csv_field(const std::string& text);

}  // namespace skde::io
