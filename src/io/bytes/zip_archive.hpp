#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "io/bytes/byte_source.hpp"

namespace skde::io {

/// Passes over the members of an archive, which stands at its first byte, up to the first that
/// `is_wanted` (a name as the archive has it), and opens it, stored or deflated; its source ends
/// with it. Error(input) that lists the members where none is wanted, and where the archive is
/// broken or encrypted. `ask`: how to name another one, for that error.
BufferedSource open_zip_member(BufferedSource archive,
                               const std::function<bool(std::string_view)>& is_wanted,
                               const std::string& ask);

/// The names of all members of an archive. Error(input) where it is broken.
std::vector<std::string> zip_member_names(BufferedSource& archive);

}  // namespace skde::io
