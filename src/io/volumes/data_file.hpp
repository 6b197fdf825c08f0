#pragma once

#include <string>
#include <vector>

namespace skde::io {

/// The one file beside a header that holds its values, as the header names it. A header may name
/// none elsewhere: who opens it would read any file of the machine as numbers. Error(input) where
/// it is not there, or they are several.
std::string data_path(const std::string& header_path, const std::string& data_file);

/// From now on data_path() refuses what lies in this folder: its files are of many owners, and a
/// header would give its own one the values of another.
void refuse_data_beside(std::string folder);

/// The files beside a volume's that its reader opens, or would, were they there: those that hold
/// its values, or describe them. Empty where the path is that of no volume. Error(input) where the
/// header is broken, or one that it names is not there.
std::vector<std::string> files_beside(const std::string& path);

}  // namespace skde::io
