#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// Opens the first member of an archive whose name satisfies `is_wanted`, stored or deflated. The
/// archive must be at its first byte; the returned source ends with the member. Throws Error(input)
/// that lists the members if none is wanted, or if the archive is broken or encrypted. `ask` tells
/// the user, in that error, how to name another member.
BufferedSource open_zip_member(BufferedSource archive,
                               const std::function<bool(std::string_view)>& is_wanted,
                               const std::string& ask);

/// Returns the names of all members of an archive. Throws Error(input) if it is broken.
std::vector<std::string> zip_member_names(BufferedSource& archive);

}  // namespace skde::io
