#pragma once

#include <span>
#include <string>
#include <string_view>

namespace skde::cli {

/// Checks, before any work, that a file can be put at `path`, which `flag` named: its folder exists
/// and is writable, and `path` is free or an ordinary file. Throws Error(output) otherwise.
void require_writable(const std::string& path, std::string_view flag);

/// Throws Error(usage) if `path` is one of the input files, even under another name: a link to it,
/// or a second name of its inode.
void require_not_read(const std::string& path, std::string_view flag,
                      std::span<const std::string> inputs);

/// Throws Error(usage) if `path` is one of the other output files.
void require_other_file(const std::string& path, std::string_view flag,
                        std::span<const std::string> others);

}  // namespace skde::cli
