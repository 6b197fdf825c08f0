#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skde::cli {

/// Checks before any work that a file can be put at `path`, which `flag` named: the folder is there
/// and may be written to, and nothing but an ordinary file stands there. Error(output) otherwise.
void require_writable(const std::string& path, std::string_view flag);

/// Error(usage) where `path` is one of the files that are read, also under another name: a link to
/// it, or a second name of its inode.
void require_not_read(const std::string& path, std::string_view flag,
                      std::span<const std::string> inputs);

/// The same of other files that are written.
void require_other_file(const std::string& path, std::string_view flag,
                        std::span<const std::string> others);

}  // namespace skde::cli
