#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace skde::io {

/// Returns the path of a file that is installed with skde: beside this program or library, in
/// skde's installation folder (libexec), or in the folder that the environment variable
/// SKDE_LIBEXEC names. Returns an empty path if it is in none of them.
std::string installed_file(std::string_view name);

/// Returns the paths of the modules of formats that are installed; see format_module.hpp.
std::vector<std::string> format_module_files();

}  // namespace skde::io
