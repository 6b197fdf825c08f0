#pragma once

#include <string>
#include <vector>

namespace skde::io {

/// Whether a file that is named has to be there.
enum class Presence { required, unknown };

/// The one file beside a header that holds its values, as the header names it. A header may name
/// none elsewhere: who opens it would read any file of the machine as numbers. Error(input) where
/// it is not there, unless that is asked by somebody else, or they are several.
std::string data_path(const std::string& header_path, const std::string& data_file,
                      Presence presence = Presence::required);

/// The files beside a volume's that its reader opens, or would, were they there: those that hold
/// its values, or describe them. Empty where the path is that of no volume. Error(input) where the
/// header is broken, or one that it names is not there, where it has to be.
std::vector<std::string> files_beside(const std::string& path,
                                      Presence presence = Presence::required);

}  // namespace skde::io
