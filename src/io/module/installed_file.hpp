#pragma once

#include <string>
#include <string_view>

namespace skde::io {

/// The path of a file that is installed with skde: beside this program or library, or where skde
/// was installed (libexec), or in the folder that the environment variable SKDE_LIBEXEC names;
/// empty where it is in none of them.
std::string installed_file(std::string_view name);

}  // namespace skde::io
