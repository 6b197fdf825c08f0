#pragma once

#include <string>

namespace skde::io {

/// The one file beside a header that holds its values, as the header names it. A header may name
/// none elsewhere: who opens it would read any file of the machine as numbers. Error(input) where
/// it is not there, or they are several.
std::string data_path(const std::string& header_path, const std::string& data_file);

}  // namespace skde::io
