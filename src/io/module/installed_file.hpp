#pragma once

#include <string>
#include <string_view>

namespace skde::io {

/// Returns the path of a file that is installed with skde: beside this program or library, in
/// skde's installation folder (libexec), or in the folder that the environment variable
/// SKDE_LIBEXEC names. Returns an empty path if it is in none of them.
std::string installed_file(std::string_view name);

/// File name of the module of formats; see format_module.hpp.
inline constexpr const char* kFormatModuleFile = "skde-formats.so";

}  // namespace skde::io
