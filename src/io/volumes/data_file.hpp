#pragma once

#include <string>
#include <vector>

namespace skde::io {

/// Whether a named file must exist.
enum class Presence { required, unknown };

/// Returns the path of the one file beside a header that holds its values, as the header names it.
/// The file must be in the header's folder: otherwise a header could have any file of the machine
/// read as numbers. Throws Error(input) if it is in another folder, if there are several files, or
/// if it does not exist and `presence` is required.
std::string data_path(const std::string& header_path, const std::string& data_file,
                      Presence presence = Presence::required);

/// Returns the files beside a volume file that its reader opens, or would open if they existed:
/// those with its values or its description. Empty if the path is not that of a volume. Throws
/// Error(input) if the header is broken, or names a file that does not exist and `presence` is
/// required.
std::vector<std::string> files_beside(const std::string& path,
                                      Presence presence = Presence::required);

}  // namespace skde::io
