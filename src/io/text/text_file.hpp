#pragma once

#include <string>
#include <string_view>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// Reads a whole file. Throws Error(input) if it cannot be read.
std::string read_text(const std::string& path, const OpenFiles& files = {});
/// Writes the whole file or nothing. Throws Error(output) if that fails.
void write_text(const std::string& path, std::string_view text);

/// Returns a field of a CSV row: in double quotes if it has one of these characters, which would
/// end it.
std::string csv_field(const std::string& text, std::string_view quoted_for = ",\"\r\n");

}  // namespace skde::io
